import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DamagedFile, encodeSections, openSections } from './section-file.ts'

describe('a file of sections', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolcrib-sections-'))
    path = join(folder, 'file')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const sections = { words: Buffer.from('one two'), numbers: new Uint8Array(new Float64Array([1.5, -2]).buffer) }

  it('returns its head, its sections and parts of them, for any content', () => {
    const anyFile = fc.record({
      head: fc.jsonValue(),
      sections: fc.dictionary(fc.string({ minLength: 1 }), fc.uint8Array({ maxLength: 40 })),
    })
    fc.assert(
      fc.property(anyFile, ({ head, sections: given }) => {
        writeFileSync(path, encodeSections(head, given))
        const file = openSections(path)
        expect(JSON.stringify(file?.head)).toBe(JSON.stringify(head))
        for (const [name, data] of Object.entries(given)) {
          expect([...(file?.section(name) ?? [])]).toEqual([...data])
          const from = Math.min(1, data.length)
          expect([...(file?.part(name, from, data.length) ?? [])]).toEqual([...data.slice(from)])
        }
        file?.close()
        file?.close()
      }),
      { numRuns: 50 },
    )
  })

  it('accepts the names of inherited properties as section names', () => {
    const given = JSON.parse('{"__proto__": 1, "toString": 2, "constructor": 3}')
    const named = Object.entries(given).map(([name, value]) => [name, Uint8Array.of(Number(value))] as const)
    writeFileSync(path, encodeSections({}, Object.fromEntries(named)))
    const file = openSections(path)
    for (const [name, data] of named) expect([...(file?.section(name) ?? [])]).toEqual([...data])
    file?.close()
  })

  it('returns a section in its own buffer, so that numbers can be read in place', () => {
    writeFileSync(path, encodeSections({}, sections))
    const file = openSections(path)
    expect([...new Float64Array(file?.section('numbers').buffer ?? new ArrayBuffer(0))]).toEqual([1.5, -2])
    file?.close()
  })

  it('does not open a missing, foreign or truncated file, or one with a changed head', () => {
    expect(openSections(path)).toBeUndefined()
    writeFileSync(path, 'something else that is long enough to be one')
    expect(openSections(path)).toBeUndefined()
    const whole = encodeSections({ name: 'x' }, sections)
    for (const length of [0, 5, 20, whole.length - 1]) {
      writeFileSync(path, whole)
      truncateSync(path, length)
      expect(openSections(path)).toBeUndefined()
    }
    writeFileSync(path, readText(whole).replace('"x"', '"y"'), 'latin1')
    expect(openSections(path)).toBeUndefined()
  })

  it('throws DamagedFile for a section that has changed or does not exist, and for bytes outside of a section', () => {
    const whole = encodeSections({}, sections)
    writeFileSync(path, readText(whole).replace('one two', 'one too'), 'latin1')
    const file = openSections(path)
    expect(() => file?.section('words')).toThrow(DamagedFile)
    expect(() => file?.section('toString')).toThrow(DamagedFile)
    expect(() => file?.part('words', 0, 100)).toThrow(DamagedFile)
    expect([...(file?.section('numbers') ?? [])]).toEqual([...sections.numbers])
    file?.close()
    expect(readFileSync(path).length).toBe(whole.length)
  })
})

function readText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}
