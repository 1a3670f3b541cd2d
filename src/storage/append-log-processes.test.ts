import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTempDir, runChild } from './child.fixture.ts'
import { removeFolder } from './remove-folder.fixture.ts'

const IDS = ['a', 'b', 'c', 'd']
const COUNT = 2_000
/** About the size of the lines of all four processes together. */
const TOTAL_BYTES = 2_000_000

let dir: string
let file: string
beforeEach(async () => {
  dir = await makeTempDir()
  file = join(dir, 'audit.jsonl')
})
afterEach(() => removeFolder(dir))

async function runWriters(maxBytes: number, linesAtOnce = 1): Promise<void> {
  const runs = IDS.map((id) =>
    runChild('append-writer', [file, id, String(COUNT), String(maxBytes), String(linesAtOnce)]),
  )
  expect(await Promise.all(runs)).toEqual(IDS.map(() => ({ problems: [] })))
}

/** The numbers of each writer that are in the files, in order. Every line must be whole. */
async function readNumbers(): Promise<Map<string, number[]>> {
  const older = await readFile(`${file}.1`, 'utf8').catch(() => '')
  const lines = `${older}${await readFile(file, 'utf8')}`.split('\n')
  expect(lines.pop()).toBe('')
  const numbers = new Map(IDS.map((id): [string, number[]] => [id, []]))
  for (const line of lines) {
    const { id, n } = JSON.parse(line)
    numbers.get(id)?.push(n)
  }
  return numbers
}

const ALL = Array.from({ length: COUNT }, (_, n) => n)

describe.each([
  ['one line at a time', 1],
  ['many lines at once', 300],
])('a log that four processes append to, %s', { timeout: 60_000 }, (_, linesAtOnce) => {
  it('loses no line and keeps the order of each process', async () => {
    await runWriters(10 * TOTAL_BYTES, linesAtOnce)
    for (const [id, numbers] of await readNumbers()) expect([id, numbers]).toEqual([id, ALL])
    expect(await readdir(dir)).toEqual(['audit.jsonl'])
  })

  it('loses no line while one process rotates the file once', async () => {
    await runWriters(TOTAL_BYTES * 0.6, linesAtOnce)
    for (const [id, numbers] of await readNumbers()) expect([id, numbers]).toEqual([id, ALL])
    expect((await readdir(dir)).sort()).toEqual(['audit.jsonl', 'audit.jsonl.1'])
  })

  it('loses only the oldest lines if the file is rotated all the time', async () => {
    await runWriters(20_000, linesAtOnce)
    const left = await readNumbers()
    for (const [id, numbers] of left) expect([id, numbers]).toEqual([id, ALL.slice(COUNT - numbers.length)])
    // A process that has not noticed the rotation writes at most one batch into the renamed file.
    expect((await stat(`${file}.1`)).size).toBeLessThan(20_000 + IDS.length * 65_536)
    expect(Math.max(...[...left.values()].map(({ length }) => length))).toBeGreaterThan(0)
    expect((await readdir(dir)).sort()).toEqual(['audit.jsonl', 'audit.jsonl.1'])
  })
})

describe.runIf(process.platform !== 'win32')('a log on a disk that fills up in the middle of a line', () => {
  it('contains only whole lines, and the writer reports the problem once', async () => {
    const args = [file, 'a', '300', '10000000']
    expect(await runChild('append-writer', args, { maxFileBlocks: 16 })).toEqual({ problems: ['unwritable'] })
    const numbers = (await readNumbers()).get('a') ?? []
    expect(numbers.length).toBeGreaterThan(1)
    expect(numbers.length).toBeLessThan(300)
  })

  it('keeps the whole lines of a write that was only partly possible', async () => {
    const args = [file, 'a', '300', '10000000', '300']
    expect(await runChild('append-writer', args, { maxFileBlocks: 64 })).toEqual({ problems: ['unwritable'] })
    const numbers = (await readNumbers()).get('a') ?? []
    expect(numbers.length).toBeGreaterThan(51)
    expect(numbers.length).toBeLessThan(300)
    expect(numbers).toEqual(ALL.slice(0, numbers.length))
  })
})
