import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createRedactor } from './redactor.ts'
import { createServerOutput, createStderrRing } from './server-output.ts'

const bytes = (text: string) => Buffer.from(text)

it('passes on whole lines after a short time, and an unfinished line when the output ends', async () => {
  const passed: string[] = []
  const output = createServerOutput((lines) => passed.push(...lines), 5)
  const first = output.open()
  first.write(bytes('one\ntwo\nthr'))
  expect(passed).toEqual([])
  await vi.waitFor(() => expect(passed).toEqual(['one', 'two']))
  first.write(bytes('ee\nfour'))
  // The server is started again.
  const second = output.open()
  expect(passed).toEqual(['one', 'two', 'three', 'four'])
  second.write(bytes('five'))
  output.flush()
  output.flush()
  expect(passed).toEqual(['one', 'two', 'three', 'four', 'five'])
  expect(output.tail()).toBe('five')
})

it('redacts a secret that arrives in two pieces, and removes control characters', () => {
  const passed: string[] = []
  const output = createServerOutput((lines) => passed.push(...lines), 60_000)
  const ring = output.open(createRedactor(['top-secret-key']).text)
  ring.write(bytes('key: top-sec'))
  expect(ring.take()).toEqual([])
  ring.write(bytes('ret-key\n\u001b[31mred\u001b[0m\n'))
  output.flush()
  expect(passed).toEqual(['key: [redacted]', 'red'])
})

it('keeps the end of the output even without a listener for lines', () => {
  const output = createServerOutput(undefined)
  expect(output.tail()).toBe('')
  output.open().write(bytes('one\n'))
  output.flush()
  expect(output.tail()).toBe('one')
})

describe('a stderr ring', () => {
  it('returns the written output', () => {
    const ring = createStderrRing()
    expect(ring.tail()).toBe('')
    ring.write(bytes('one\ntw'))
    ring.write(bytes('o\n'))
    expect(ring.tail()).toBe('one\ntwo')
  })

  it('keeps the last bytes, from the beginning of a line', () => {
    const ring = createStderrRing({ maxBytes: 16 })
    ring.write(bytes('the first line\nthe second\n'))
    expect(ring.tail()).toBe('the second')
    ring.write(bytes('third'))
    expect(ring.tail()).toBe('third')
  })

  it('returns at most the requested number of characters, as whole lines if possible', () => {
    const ring = createStderrRing()
    ring.write(bytes('aaaa\nbbbb\ncccc\n'))
    expect(ring.tail(10)).toBe('bbbb\ncccc')
    expect(ring.tail(6)).toBe('cccc')
    expect(ring.tail(3)).toBe('ccc')
  })

  it('removes colours, control characters and overwritten lines', () => {
    const ring = createStderrRing()
    ring.write(bytes('\u001b[31mred\u001b[0m\u0007\r\n10 %\r50 %\r100 %\n\u001b]0;title\u0007done\u009b\n'))
    expect(ring.tail()).toBe('red\n100 %\ndone')
  })

  it('never shows a secret, even if it was written in two pieces or partly overwritten', () => {
    const ring = createStderrRing({ maxBytes: 40, redact: createRedactor(['top-secret-key']).text })
    ring.write(bytes('key: top-sec'))
    ring.write(bytes('ret-key\n'))
    expect(ring.tail()).toBe('key: [redacted]')
    ring.write(bytes('and again\nthe third'))
    ring.write(bytes(' line is here\n'))
    expect(ring.tail()).not.toContain('key')
  })

  it('keeps exactly the end of the output, for any size of chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z\n]{0,20}$/)),
        fc.integer({ min: 1, max: 30 }),
        (chunks, maxBytes) => {
          const ring = createStderrRing({ maxBytes })
          for (const chunk of chunks) ring.write(bytes(chunk))
          const all = chunks.join('')
          const kept = all.length < maxBytes ? all : all.slice(-maxBytes).replace(/^[^\n]*\n?/, '')
          expect(ring.tail(1_000)).toBe(kept.trim())
        },
      ),
    )
  })

  it('reports that output was left out if a server prints more than the buffer holds', () => {
    const ring = createStderrRing({ maxBytes: 20 })
    ring.write(bytes('0123456789\n'.repeat(5)))
    expect(ring.take()).toEqual(['(at least 35 bytes of output were left out here)', '0123456789'])
    expect(ring.take()).toEqual([])
    ring.write(bytes('x'.repeat(50)))
    expect(ring.take()).toEqual([])
    ring.write(bytes('\nshort\n'))
    expect(ring.take().at(-1)).toBe('short')
  })
})
