import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { inflateRawSync } from 'node:zlib'

// PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16: the parts of a zip, and where a part has its fields.
const END_OF_DIRECTORY = 0x06054b50
const END_BYTES = 22
const ENTRY_BYTES = 46
const HEADER_BYTES = 30
const STORED = 0

/** A file in a zip: its path, and its bytes. */
export interface Entry {
  name: string
  contents: Buffer
}

/** The files of a zip, as Lambda would find them; no zip of more than 4 GB, and none with a comment. */
export function entriesOf(zip: Buffer): Entry[] {
  const end = zip.length - END_BYTES
  if (zip.readUInt32LE(end) !== END_OF_DIRECTORY) throw new Error('Not a zip, or one with a comment')
  const count = zip.readUInt16LE(end + 10)
  const entries: Entry[] = []
  for (let at = zip.readUInt32LE(end + 16); entries.length < count; ) {
    const nameEnd = at + ENTRY_BYTES + zip.readUInt16LE(at + 28)
    const name = zip.toString('utf8', at + ENTRY_BYTES, nameEnd)
    entries.push({ name, contents: contentsAt(zip, zip.readUInt32LE(at + 42), zip.readUInt32LE(at + 20)) })
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return entries
}

function contentsAt(zip: Buffer, header: number, size: number): Buffer {
  const start = header + HEADER_BYTES + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28)
  const bytes = zip.subarray(start, start + size)
  return zip.readUInt16LE(header + 8) === STORED ? bytes : inflateRawSync(bytes)
}

/** Writes the files of a zip into a folder. */
export function unzip(file: string, folder: string): void {
  for (const { name, contents } of entriesOf(readFileSync(file))) {
    const path = join(folder, normalize(`/${name}`))
    mkdirSync(dirname(path), { recursive: true })
    if (!name.endsWith('/')) writeFileSync(path, contents)
  }
}
