import { expect, it, vi } from 'vitest'
import { createRedactor } from './redactor.ts'
import { createServerOutput } from './server-output.ts'
import { createStderrRing } from './stderr-ring.ts'

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
