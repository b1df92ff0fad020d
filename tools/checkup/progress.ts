const WIDTH = 30

/** A bar on the terminal, in one line of stderr; nothing where that is a file. `total` is an estimate: DynamoDB counts every six hours. */
export function progressBar(total: number, out: NodeJS.WriteStream = process.stderr) {
  const draw = (items: number) => {
    const share = Math.min(items / Math.max(total, items, 1), 1)
    const bar = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.')
    if (out.isTTY) out.write(`\r[${bar}] ${Math.floor(share * 100)} %, ${items} items`)
  }
  return { draw, end: () => void (out.isTTY && out.write('\r\x1b[K')) }
}
