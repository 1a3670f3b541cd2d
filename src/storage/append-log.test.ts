import { mkdir, open, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type AppendLogOptions, createAppendLog } from './append-log.ts'
import { makeTempDir } from './child.fixture.ts'
import type { StorageProblem } from './problem.ts'

let dir: string
let file: string
let problems: StorageProblem[]
beforeEach(async () => {
  dir = await makeTempDir()
  file = join(dir, 'state', 'audit.jsonl')
  problems = []
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function openLog(options: Partial<AppendLogOptions> = {}) {
  return createAppendLog({ file, maxBytes: 1_000_000, onProblem: (problem) => problems.push(problem), ...options })
}

async function countWrites() {
  const probe = await open(join(dir, 'probe'), 'w')
  await probe.close()
  const writes = vi.spyOn(Object.getPrototypeOf(probe), 'write')
  onTestFinished(() => writes.mockRestore())
  return writes
}

async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8')
  expect(text.endsWith('\n')).toBe(true)
  return text.slice(0, -1).split('\n')
}

async function recordsOf(path: string): Promise<unknown[]> {
  return (await linesOf(path)).map((line) => JSON.parse(line))
}

describe('an append log', () => {
  it('writes one line per record, readable by this user only, in a directory it creates', async () => {
    await using log = openLog()
    await log.append({ a: 1 })
    await log.append({ text: 'two\nlines' })
    expect(await readFile(file, 'utf8')).toBe('{"a":1}\n{"text":"two\\nlines"}\n')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700)
    expect(problems).toEqual([])
  })

  it('keeps the order of the calls, even of records that the caller did not wait for', async () => {
    const log = openLog()
    const pending = Array.from({ length: 300 }, (_, n) => log.append({ n }))
    await log[Symbol.asyncDispose]()
    await Promise.all(pending)
    expect(await recordsOf(file)).toEqual(pending.map((_, n) => ({ n })))
  })

  it('combines records that wait at the same time into few writes', async () => {
    const writes = await countWrites()
    await using log = openLog({ maxBytes: 10_000_000 })
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => log.append({ n, text: 'x'.repeat(1_100) })))
    // The lines have 1.1 MB, and one write has at most 1 MiB.
    expect(writes).toHaveBeenCalledTimes(2)
    await log.append({ n: 1_000 }, { n: 1_001 }, { n: 1_002 })
    expect(writes).toHaveBeenCalledTimes(3)
    expect(await recordsOf(file)).toMatchObject(Array.from({ length: 1_003 }, (_, n) => ({ n })))
  })

  it('continues in the next file if the records of one append do not fit into one file', async () => {
    await using log = openLog({ maxBytes: 30 })
    await log.append(...[1, 2, 3, 4, 5, 6, 7].map((n) => ({ n, x: 0 })))
    expect(await recordsOf(`${file}.1`)).toMatchObject([{ n: 5 }, { n: 6 }])
    expect(await recordsOf(file)).toMatchObject([{ n: 7 }])
  })

  it('notices soon that another process has renamed its file, and continues in a new one', async () => {
    await using log = openLog()
    await log.append({ n: 1 })
    await rename(file, `${file}.moved`)
    const continuesInNewFile = async () => {
      await log.append({ n: 2 })
      return stat(file).then(
        () => true,
        () => false,
      )
    }
    await expect.poll(continuesInNewFile, { interval: 5, timeout: 1_000 }).toBe(true)
    expect((await recordsOf(`${file}.moved`))[0]).toEqual({ n: 1 })
    expect(await recordsOf(file)).toEqual([{ n: 2 }])
  })

  it('appends to an existing file', async () => {
    for (const n of [1, 2]) {
      await using log = openLog()
      await log.append({ n })
    }
    expect(await recordsOf(file)).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('renames a full file and keeps only one old file', async () => {
    await using log = openLog({ maxBytes: 30 })
    for (const n of [1, 2, 3, 4, 5, 6, 7]) await log.append({ n, x: 0 })
    expect(await recordsOf(`${file}.1`)).toMatchObject([{ n: 5 }, { n: 6 }])
    expect(await recordsOf(file)).toMatchObject([{ n: 7 }])
  })

  it('writes a line longer than the maximum file size into a file of its own', async () => {
    await using log = openLog({ maxBytes: 10 })
    for (const n of [1, 2]) await log.append({ n, text: 'longer than that' })
    expect(await recordsOf(`${file}.1`)).toMatchObject([{ n: 1 }])
    expect(await recordsOf(file)).toMatchObject([{ n: 2 }])
  })

  it('continues in a new file if its folder was removed', async () => {
    await using log = openLog()
    await log.append({ n: 1 })
    await rm(dirname(file), { recursive: true })
    await log.append({ n: 2 })
    expect(await recordsOf(file)).toEqual([{ n: 2 }])
  })

  it('starts a new line after an incomplete line of a killed process', async () => {
    await mkdir(dirname(file))
    await writeFile(file, '{"n":1}\n{"n":')
    await utimes(file, 1, 1)
    await using log = openLog()
    await log.append({ n: 2 })
    expect(await linesOf(file)).toEqual(['{"n":1}', '{"n":', '{"n":2}'])
  })

  it('keeps writing while another process rotates, and rotates itself if that process is gone', async () => {
    const time = { now: Date.now() }
    await using log = openLog({ maxBytes: 10, now: () => time.now })
    await log.append({ n: 1 })
    await writeFile(`${file}.lock`, '')
    await log.append({ n: 2 })
    expect(await recordsOf(file)).toEqual([{ n: 1 }, { n: 2 }])
    time.now += 60_000
    await log.append({ n: 3 })
    expect(await recordsOf(`${file}.1`)).toEqual([{ n: 1 }, { n: 2 }])
    expect(await recordsOf(file)).toEqual([{ n: 3 }])
    await expect(stat(`${file}.lock`)).rejects.toThrow('ENOENT')
  })

  it('lets the file grow and reports it once if the full file cannot be renamed', async () => {
    await mkdir(join(`${file}.1`, 'in the way'), { recursive: true })
    await using log = openLog({ maxBytes: 10 })
    for (const n of [1, 2, 3]) await log.append({ n })
    expect(await recordsOf(file)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(problems).toMatchObject([{ kind: 'unrotated', path: file, message: expect.stringContaining('10 bytes') }])
  })
})

describe('an append log that cannot write', () => {
  const blockFolder = async () => {
    await writeFile(dirname(file), 'not a directory')
  }

  it('reports the problem once, and does not reject the append', async () => {
    await blockFolder()
    await using log = openLog()
    await Promise.all([log.append({ n: 1 }), log.append({ n: 2 }), log.append({ n: 3 })])
    expect(problems).toMatchObject([{ kind: 'unwritable', path: file }])
    expect(problems[0]?.message).toBe(`Cannot append to ${file}: part of its path is not a directory`)
  })

  it('continues when it can write again, and reports the next failure', async () => {
    await blockFolder()
    const time = { now: 0 }
    await using log = openLog({ now: () => time.now })
    await log.append({ n: 1 })
    await rm(dirname(file))
    await log.append({ n: 2 })
    expect(await recordsOf(file)).toEqual([{ n: 2 }])
    await rm(dirname(file), { recursive: true })
    await blockFolder()
    time.now += 60_000
    await log.append({ n: 3 })
    expect(problems.map(({ kind }) => kind)).toEqual(['unwritable', 'unwritable'])
  })

  it('rejects the append in strict mode, and still accepts the next record', async () => {
    await blockFolder()
    await using log = openLog({ strict: true })
    const first = log.append({ n: 1 })
    const second = log.append({ n: 2 })
    await expect(first).rejects.toMatchObject({ name: 'StorageError', problem: { kind: 'unwritable' } })
    await expect(second).rejects.toThrow('Cannot append')
    await rm(dirname(file))
    await log.append({ n: 3 })
    expect(await recordsOf(file)).toEqual([{ n: 3 }])
  })

  it.runIf(process.platform === 'linux')('names a full disk as the reason', async () => {
    await using log = openLog({ file: '/dev/full' })
    await log.append({ n: 1 })
    expect(problems).toMatchObject([{ kind: 'unwritable', message: 'Cannot append to /dev/full: the disk is full' }])
  })

  it('writes the valid records of an append, and rejects those that are not JSON', async () => {
    await using log = openLog({ strict: true })
    const append = log.append({ n: 1 }, { n: 2n }, { n: 3 })
    await expect(append).rejects.toMatchObject({ problem: { kind: 'bad-record' } })
    expect(await recordsOf(file)).toEqual([{ n: 1 }, { n: 3 }])
  })

  it('rejects records that are not JSON, exceed the queue, or come after the log is closed', async () => {
    const log = openLog({ strict: true, maxQueuedBytes: 5 })
    await expect(log.append({ n: 1n })).rejects.toMatchObject({ problem: { kind: 'bad-record' } })
    await expect(log.append({ toJSON: () => undefined })).rejects.toMatchObject({ problem: { kind: 'bad-record' } })
    const waiting = log.append({ n: 1 })
    await expect(log.append({ n: 2 })).rejects.toMatchObject({ problem: { kind: 'overloaded' } })
    await waiting
    await log[Symbol.asyncDispose]()
    await log[Symbol.asyncDispose]()
    await expect(log.append({ n: 3 })).rejects.toThrow('it is closed')
    expect(await recordsOf(file)).toEqual([{ n: 1 }])
  })
})
