// A file of named sections that are read one by one, as they are needed: what is not asked for costs nothing.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'

export type Sections = Readonly<Record<string, Uint8Array>>

export interface SectionFile {
  /** What `encodeSections` was given with them. */
  readonly head: unknown
  /** The whole section, in memory of its own. */
  section(name: string): Uint8Array<ArrayBuffer>
  /** A part of one, as it is on disk: only whole sections are checked for damage. */
  part(name: string, from: number, to: number): Uint8Array<ArrayBuffer>
  close(): void
}

/**
 * The file is not what was written; whoever made it makes it again. Its sums tell, which are for accidents and not for
 * enemies: it lies where only this user writes.
 */
export class DamagedFile extends Error {
  constructor(path: string, what: string) {
    super(`${path} is damaged: ${what}`)
    this.name = 'DamagedFile'
  }
}

interface Place {
  readonly at: number
  readonly bytes: number
  readonly sum: number
}

/** Another form of the file gets another mark. */
const MARK = Buffer.from('toolcrb1')
/** The mark, how long the head is, and the sum of its bytes. */
const START_BYTES = MARK.length + 8
/** Where numbers of any size may begin. */
const STEP = 8

export function encodeSections(head: unknown, sections: Sections): Uint8Array {
  // No name is special: a section may be called `__proto__`.
  const places: Record<string, Place> = Object.create(null)
  let at = 0
  for (const [name, data] of Object.entries(sections)) {
    places[name] = { at, bytes: data.byteLength, sum: crc32(data) }
    at += padded(data.byteLength)
  }
  const text = Buffer.from(JSON.stringify({ head, places, bytes: at }))
  const first = padded(START_BYTES + text.length)
  const file = Buffer.alloc(first + at)
  MARK.copy(file)
  file.writeUInt32LE(text.length, MARK.length)
  file.writeUInt32LE(crc32(text), MARK.length + 4)
  text.copy(file, START_BYTES)
  for (const [name, data] of Object.entries(sections)) file.set(data, first + (places[name]?.at ?? 0))
  return file
}

/** Undefined where there is no such file, or none of this kind. */
export function openSections(path: string): SectionFile | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  try {
    return readFrom(file, path)
  } catch {
    closeSync(file)
    return undefined
  }
}

function readFrom(file: number, path: string): SectionFile {
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
  // Its sum is right, so it is what `encodeSections` wrote.
  const { head, places, bytes } = JSON.parse(Buffer.from(text.buffer).toString()) as {
    readonly head: unknown
    readonly places: Readonly<Record<string, Place>>
    readonly bytes: number
  }
  const first = padded(START_BYTES + headBytes)
  if (size !== first + bytes) throw new DamagedFile(path, 'it has another length')
  const placeOf = (name: string): Place => {
    const place = Object.hasOwn(places, name) ? places[name] : undefined
    if (place === undefined) throw new DamagedFile(path, `it has no section ${name}`)
    return place
  }
  let isOpen = true
  return {
    head,
    section(name) {
      const place = placeOf(name)
      const data = read(first + place.at, place.bytes)
      if (crc32(data) !== place.sum) throw new DamagedFile(path, `section ${name} has changed`)
      return data
    },
    part(name, from, to) {
      const place = placeOf(name)
      if (from < 0 || to > place.bytes || from > to) throw new DamagedFile(path, `section ${name} is shorter`)
      return read(first + place.at + from, to - from)
    },
    close() {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

function padded(bytes: number): number {
  return Math.ceil(bytes / STEP) * STEP
}
