import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { readInTurns } from './read-in-turns.ts'

function open() {
  const stream = new PassThrough()
  const taken: string[] = []
  const gate = { isBlocked: false, free: () => {} }
  const turns = readInTurns(stream, {
    take: (bytes) => void taken.push(Buffer.from(bytes).toString()),
    isBlocked: () => gate.isBlocked,
    onFree(resume) {
      gate.free = resume
    },
  })
  return { stream, taken, gate, turns }
}

const linesOf = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n`).join('')

describe('the output of a server', () => {
  it('reads the whole output of a server in parts, with other work in between', async () => {
    const { stream, taken } = open()
    const text = `${linesOf(1_000)}half a line`
    let turns = 0
    stream.end(text)
    while (taken.join('').length < text.length) {
      await nextTurn()
      turns++
    }
    expect(taken.join('')).toBe(text)
    expect(Math.max(...taken.map((part) => part.split('\n').length - 1))).toBeLessThanOrEqual(16)
    expect(turns).toBeGreaterThan(50)
  })

  it('reads an output of a few lines at once', async () => {
    const { stream, taken } = open()
    stream.write(linesOf(10))
    await nextTurn()
    expect(taken).toEqual([linesOf(10)])
  })

  it('reads no output while the reader is blocked, and goes on after that', async () => {
    const { stream, taken, gate } = open()
    stream.write(linesOf(100))
    stream.write(linesOf(1))
    gate.isBlocked = true
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect(taken).toHaveLength(1)
    gate.isBlocked = false
    gate.free()
    await expect.poll(() => taken.join('')).toBe(linesOf(100) + linesOf(1))
  })

  it('reads the rest of the output at once with `flush`, after the process has ended', async () => {
    const { stream, taken, turns } = open()
    stream.write(linesOf(100))
    await nextTurn()
    turns.flush()
    expect(taken.join('')).toBe(linesOf(100))
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect(taken.join('')).toBe(linesOf(100))
  })
})
