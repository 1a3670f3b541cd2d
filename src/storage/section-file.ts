// A file of named sections. Each section is read only when it is needed.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'

export type Sections = Readonly<Record<string, Uint8Array>>

export interface SectionFile {
  /** The value that was given to `encodeSections` together with the sections. */
  readonly head: unknown
  /** The whole section, in its own buffer. */
  section(name: string): Uint8Array<ArrayBuffer>
  /** A part of a section as it is on disk. Only whole sections are checked for damage. */
  part(name: string, from: number, to: number): Uint8Array<ArrayBuffer>
  /** Closes the file. A second call does nothing. */
  close(): void
}

/**
 * The content of the file has changed since it was written. The code that wrote the file then writes it again.
 * Checksums detect accidents, not attacks: only this user can write to the folder of the file.
 */
export class DamagedFile extends Error {
  constructor(path: string, what: string) {
    super(`${path} is damaged: ${what}`)
    this.name = 'DamagedFile'
  }
}

interface SectionRange {
  readonly at: number
  readonly bytes: number
  readonly sum: number
}

/** The JSON at the start of the file. */
interface FileHead {
  readonly head: unknown
  readonly places: Readonly<Record<string, SectionRange>>
  /** The length of all sections. */
  readonly bytes: number
}

/** The magic bytes at the start of the file. A new file format gets new bytes. */
const MARK = Buffer.from('toolcrb1')
/** The size of the fixed start of the file: the magic bytes, then the head's length and checksum (4 bytes each). */
const START_BYTES = MARK.length + 8
/** The alignment of a section: numbers of any size can start at a multiple of 8. */
const ALIGNMENT = 8

export function encodeSections(head: unknown, sections: Sections): Uint8Array {
  // Without a prototype, a section may have any name, such as `__proto__`.
  const ranges: Record<string, SectionRange> = Object.create(null)
  let at = 0
  for (const [name, data] of Object.entries(sections)) {
    ranges[name] = { at, bytes: data.byteLength, sum: crc32(data) }
    at += padded(data.byteLength)
  }
  const text = Buffer.from(JSON.stringify({ head, places: ranges, bytes: at }))
  const sectionsStart = padded(START_BYTES + text.length)
  const file = Buffer.alloc(sectionsStart + at)
  MARK.copy(file)
  file.writeUInt32LE(text.length, MARK.length)
  file.writeUInt32LE(crc32(text), MARK.length + 4)
  text.copy(file, START_BYTES)
  for (const [name, data] of Object.entries(sections)) file.set(data, sectionsStart + (ranges[name]?.at ?? 0))
  return file
}

/** Returns undefined if the file cannot be opened, or is not a valid file of sections. */
export function openSections(path: string): SectionFile | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  try {
    return readSectionFile(file, path)
  } catch {
    closeSync(file)
    return undefined
  }
}

function readSectionFile(file: number, path: string): SectionFile {
  const read = (at: number, bytes: number): Uint8Array<ArrayBuffer> => {
    const data = new Uint8Array(bytes)
    if (readSync(file, data, 0, bytes, at) !== bytes) throw new DamagedFile(path, 'it ends too soon')
    return data
  }
  const { size } = fstatSync(file)
  const start = Buffer.from(read(0, START_BYTES).buffer)
  const headBytes = start.readUInt32LE(MARK.length)
  if (!start.subarray(0, MARK.length).equals(MARK) || headBytes > size) throw new DamagedFile(path, 'it has no head')
  const text = read(START_BYTES, headBytes)
  if (crc32(text) !== start.readUInt32LE(MARK.length + 4)) throw new DamagedFile(path, 'its head has changed')
  // The checksum is right, so `encodeSections` has written this text.
  const { head, places: ranges, bytes }: FileHead = JSON.parse(Buffer.from(text.buffer).toString())
  const sectionsStart = padded(START_BYTES + headBytes)
  if (size !== sectionsStart + bytes) throw new DamagedFile(path, 'its length is wrong')
  const rangeOf = (name: string): SectionRange => {
    const range = Object.hasOwn(ranges, name) ? ranges[name] : undefined
    if (range === undefined) throw new DamagedFile(path, `it has no section ${name}`)
    return range
  }
  let isOpen = true
  return {
    head,
    section(name) {
      const range = rangeOf(name)
      const data = read(sectionsStart + range.at, range.bytes)
      if (crc32(data) !== range.sum) throw new DamagedFile(path, `section ${name} has changed`)
      return data
    },
    part(name, from, to) {
      const range = rangeOf(name)
      if (from < 0 || to > range.bytes || from > to)
        throw new DamagedFile(path, `section ${name} does not contain bytes ${from} to ${to}`)
      return read(sectionsStart + range.at + from, to - from)
    },
    close() {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

function padded(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
}
