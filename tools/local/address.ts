import { once } from 'node:events'
import { createServer } from 'node:net'
import { freePort } from '#tools/engine.ts'
import { Problem } from '#tools/problem.ts'

export interface Address {
  hosts: string[]
  port: number
  url: string
}

/** Where to listen: HOST and PORT, or both loopback addresses and 3000; PORT=0 is any free one. Throws a Problem when it is taken. */
export async function chooseAddress(host = '', port = '3000'): Promise<Address> {
  const number = port === '0' ? await freePort() : readPort(port)
  const wanted = host ? [host] : ['127.0.0.1', '::1']
  const free = await Promise.all(wanted.map((each) => isFree(each, number)))
  const name = !host || host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return {
    hosts: wanted.filter((_, index) => free[index]),
    port: number,
    url: `http://${name.includes(':') ? `[${name}]` : name}:${number}`,
  }
}

/** What to say when others than this machine could reach the service, which speaks HTTP. */
export function warnOfHost(host: string | undefined): void {
  if (host)
    console.error(`Warning: HOST=${host} lets others reach this service, over HTTP without TLS; use it on a network you trust.`)
}

function readPort(port: string): number {
  if (/^\d{1,5}$/.test(port) && Number(port) < 65_536) return Number(port)
  throw new Problem(`PORT=${port} is not a port number.`)
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    return refuse(error as NodeJS.ErrnoException, host, port)
  }
  server.close()
  await once(server, 'close')
  return true
}

function refuse({ code, message }: NodeJS.ErrnoException, host: string, port: number): false {
  if (code === 'EADDRINUSE')
    throw new Problem(`Port ${port} is taken: end what uses it, or choose another one with PORT=${port + 1} npm start.`)
  if (host === '::1' && code !== 'EACCES') return false // a machine without IPv6
  throw new Problem(`The service cannot listen on ${host} port ${port}: ${message}.`)
}
