import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anyText } from './any-text.fixture.ts'
import { makeTempDir } from './child.fixture.ts'
import { rotate, toLine } from './line-writer.ts'

let dir: string
let file: string
beforeEach(async () => {
  dir = await makeTempDir()
  file = join(dir, 'log')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const isFull = (bytes: number) => bytes > 5

describe('rotate', () => {
  it('leaves the new file alone after another process has rotated the log', async () => {
    await writeFile(file, 'a full file')
    await rotate(file, isFull, Date.now)
    await writeFile(file, 'new')
    // Simulates a process that checked the old file and rotates second.
    await rotate(file, isFull, Date.now)
    expect([await readFile(file, 'utf8'), await readFile(`${file}.1`, 'utf8')]).toEqual(['new', 'a full file'])
  })

  it('rotates once if many calls find a stale lock at the same time, and leaves no lock behind', async () => {
    await writeFile(file, 'a full file')
    await writeFile(`${file}.lock`, '')
    await utimes(`${file}.lock`, 1, 1)
    await Promise.all(Array.from({ length: 20 }, () => rotate(file, isFull, Date.now)))
    expect(await readdir(dir)).toEqual(['log.1'])
  })

  it('does not rotate if the file is missing or another process holds the lock', async () => {
    await rotate(file, isFull, Date.now)
    await writeFile(file, 'a full file')
    await writeFile(`${file}.lock`, '')
    await rotate(file, isFull, Date.now)
    expect((await readdir(dir)).sort()).toEqual(['log', 'log.lock'])
  })
})

describe('toLine', () => {
  it('writes a record as JSON on exactly one line, for any content', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }), (record) => {
        const text = toLine(record)
        expect(text.indexOf('\n')).toBe(text.length - 1)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(record)))
      }),
    )
  })

  it('keeps the short fields of a record that is too long, and lists the removed fields in `cut`', () => {
    const text = 'é'.repeat(50_000)
    expect(JSON.parse(toLine({ time: 1, args: { text }, [text]: 1, ok: true }))).toEqual({
      time: 1,
      ok: true,
      cut: { bytes: expect.any(Number), fields: ['args', 'é'.repeat(100)] },
    })
  })

  it('writes no line that is longer than 64 KiB', () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`field${n}`, '\0'.repeat(n % 900)]))
    const line = toLine(many)
    expect(line.length).toBeLessThanOrEqual(64 * 1_024)
    expect(JSON.parse(line).cut.fields).toHaveLength(20)
    const exact = { a: 'x'.repeat(64 * 1_024 - 9) }
    expect(toLine(exact).length).toBe(64 * 1_024)
    expect(JSON.parse(toLine(exact))).toEqual(exact)
    expect(JSON.parse(toLine({ a: `${exact.a}x` }))).toEqual({ cut: { bytes: 64 * 1_024, fields: ['a'] } })
  })

  it('throws a TypeError for a record that JSON cannot represent', () => {
    expect(() => toLine({ n: 1n })).toThrow(TypeError)
    expect(() => toLine({ toJSON: () => undefined })).toThrow(TypeError)
  })
})
