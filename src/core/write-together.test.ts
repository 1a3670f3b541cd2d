import { describe, expect, it } from 'vitest'
import { createJoinedWriter } from './write-together.ts'

function open() {
  const written: string[] = []
  const ends: ((error?: Error | null) => void)[] = []
  const { post: write, flush } = createJoinedWriter((text, done) => {
    written.push(text)
    ends.push(done)
  })
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  return { written, ends, write, flush, nextTurn }
}

describe('createJoinedWriter', () => {
  it('writes the texts of one turn together and in order, and tells each sender', async () => {
    const { written, ends, write, nextTurn } = open()
    const told: unknown[] = []
    for (const text of ['a\n', 'b\n', 'c\n']) write(text, (error) => told.push([text, error]))
    expect(written).toEqual([])
    await nextTurn()
    expect(written).toEqual(['a\nb\nc\n'])
    const broken = new Error('broken pipe')
    ends[0]?.(broken)
    expect(told).toEqual([
      ['a\n', broken],
      ['b\n', broken],
      ['c\n', broken],
    ])
    write('d\n', () => {})
    await nextTurn()
    expect(written).toEqual(['a\nb\nc\n', 'd\n'])
  })

  it('joins the texts of all callbacks that run before the end of the turn', async () => {
    const { written, write, nextTurn } = open()
    write('a', () => {})
    await new Promise((resolve) => process.nextTick(resolve))
    write('b', () => {})
    expect(written).toEqual([])
    await nextTurn()
    expect(written).toEqual(['ab'])
  })

  it('writes the waiting texts at once when it is flushed, and writes nothing twice', async () => {
    const { written, write, flush, nextTurn } = open()
    write('a', () => {})
    write('b', () => {})
    flush()
    flush()
    expect(written).toEqual(['ab'])
    write('c', () => {})
    await nextTurn()
    expect(written).toEqual(['ab', 'c'])
  })

  it('writes a long text by itself, after the texts before it', async () => {
    const { written, write, nextTurn } = open()
    const long = 'x'.repeat(100_000)
    write('a', () => {})
    write(long, () => {})
    write('b', () => {})
    await nextTurn()
    expect(written).toEqual(['a', long, 'b'])
  })

  it('joins at most 131,072 characters', async () => {
    const { written, write, nextTurn } = open()
    const text = 'x'.repeat(50_000)
    for (let round = 0; round < 10; round++) write(text, () => {})
    await nextTurn()
    expect(written.join('')).toBe(text.repeat(10))
    for (const one of written) expect(one.length).toBeLessThanOrEqual(131_072)
  })

  it('writes the first text of a turn at once after turns with one text each, until a turn has several', async () => {
    const { written, write, nextTurn } = open()
    const say = (text: string) => write(text, () => {})
    for (let turn = 0; turn < 8; turn++) {
      say('.')
      expect(written).toHaveLength(turn)
      await nextTurn()
    }
    say('a')
    expect(written.at(-1)).toBe('a')
    await nextTurn()
    for (const text of ['b', 'c', 'd']) say(text)
    expect(written.at(-1)).toBe('b')
    await nextTurn()
    expect(written.at(-1)).toBe('cd')
    say('e')
    expect(written.at(-1)).toBe('cd')
    await nextTurn()
    expect(written.join('')).toBe('........abcde')
  })
})
