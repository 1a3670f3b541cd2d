import { chmod, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { failure, success } from '../core/result.ts'
import { type AppendLog, createAppendLog } from '../storage/append-log.ts'
import { makeTempDir } from '../storage/child.fixture.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { hostileInputs } from './audit/hostile-input.fixture.ts'
import { type Attempt, type AuditOptions, type AuditRecord, createAudit } from './audit.ts'

let dir: string
let file: string
let problems: string[]
beforeEach(async () => {
  dir = await makeTempDir()
  file = join(dir, 'audit.jsonl')
  problems = []
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function open(options: Partial<AuditOptions> = {}) {
  const log = createAppendLog({ file, maxBytes: 10_000_000, strict: true })
  return createAudit({ log, mode: 'lenient', onProblem: (reason) => problems.push(reason), ...options })
}

function attempt(changes: Partial<Attempt> = {}): Attempt {
  const caller = { principal: 'stdio', transport: 'stdio', era: 'modern' } as const
  return { caller, server: 's', tool: 't', input: {}, result: success(1), startedAt: 0, durationMs: 1, ...changes }
}

async function written(): Promise<AuditRecord[]> {
  const text = await readFile(file, 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** A log in memory. It throws while `disk.isFull` is true. */
function memoryLog(disk: { isFull: boolean }): AppendLog & { readonly lines: object[] } {
  const lines: object[] = []
  return {
    lines,
    async append(...added) {
      if (disk.isFull) throw new Error('the disk is full')
      lines.push(...added)
    },
    async [Symbol.asyncDispose]() {},
  }
}

describe('the audit log', () => {
  it('has one line for each attempt, in order, when it is closed', async () => {
    const audit = open({ store: createMemoryStore() })
    for (let n = 0; n < 200; n++) void audit.record(attempt({ tool: `t${n}` }))
    await audit[Symbol.asyncDispose]()
    expect((await written()).map(({ tool }) => tool)).toEqual(Array.from({ length: 200 }, (_, n) => `t${n}`))
    expect(problems).toEqual([])
  })

  it('writes a line for a refused attempt too', async () => {
    const audit = open()
    await audit.record(attempt({ tool: 'nope', result: failure({ code: 'TOOL_NOT_FOUND', message: 'no' }) }))
    await audit[Symbol.asyncDispose]()
    expect(await written()).toMatchObject([{ tool: 'nope', outcome: 'TOOL_NOT_FOUND' }])
  })

  it('hashes equal arguments to the same value after a restart when the store is the same', async () => {
    const store = createMemoryStore()
    for (let n = 0; n < 2; n++) {
      await using audit = open({ store })
      await audit.record(attempt({ input: { a: 1 } }))
    }
    const [one, two] = await written()
    expect(two?.arguments.hash).toBe(one?.arguments.hash)
  })

  it('calls onRecord for every record, and still writes the record when onRecord throws', async () => {
    const records: AuditRecord[] = []
    const warned = new Promise((resolve) => process.once('warning', resolve))
    const audit = open({
      onRecord: (record) => {
        records.push(record)
        throw new Error('listener')
      },
    })
    await audit.record(attempt())
    await audit[Symbol.asyncDispose]()
    await warned
    expect(records).toHaveLength(1)
    expect(await written()).toEqual(records)
  })

  it.each(hostileInputs)('writes one line of less than 64 KiB for hostile arguments: %s', async (_, input) => {
    const audit = open({ values: true })
    await audit.record(attempt({ input }))
    await audit[Symbol.asyncDispose]()
    expect(await written()).toMatchObject([{ tool: 't', outcome: 'ok' }])
    expect((await readFile(file, 'utf8')).length).toBeLessThan(65_536)
    expect(problems).toEqual([])
  })

  it('writes search queries only when values are on, in order and without secrets', async () => {
    const { caller } = attempt()
    const silent = open()
    silent.searched({ caller, query: 'send a mail' })
    await silent.record(attempt())
    await silent[Symbol.asyncDispose]()
    expect(await written()).toMatchObject([{ event: 'call' }])
    const audit = open({ values: true, redact: (text) => text.replaceAll('hunter2', '[redacted]') })
    audit.searched({ caller: { ...caller, sessionId: 'mine' }, query: 'log in with hunter2' })
    void audit.record(attempt({ caller: { ...caller, sessionId: 'mine' } }))
    audit.searched({ caller, query: 'x'.repeat(100_000) })
    await audit[Symbol.asyncDispose]()
    const [, search, call, long] = await written()
    expect(search).toMatchObject({ event: 'search', query: 'log in with [redacted]' })
    expect(search?.caller).toEqual(call?.caller)
    expect(JSON.stringify(long).length).toBeLessThan(5_000)
  })

  it('writes no argument values when redact() throws', async () => {
    const redact = () => {
      throw new Error('redact')
    }
    const audit = open({ values: true, redact })
    await audit.record(attempt({ input: { password: 'hunter2' } }))
    await audit[Symbol.asyncDispose]()
    expect(await readFile(file, 'utf8')).not.toMatch(/hunter2/)
  })
})

describe('a lenient audit', () => {
  it('writes the lines of many calls in a few appends, even if it is never closed', async () => {
    const log = memoryLog({ isFull: false })
    const append = vi.spyOn(log, 'append')
    await using audit = open({ log })
    for (let n = 0; n < 100; n++) {
      expect(audit.record(attempt({ tool: `t${n}` }))).toBeUndefined()
      if (n % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await expect.poll(() => log.lines.length, { interval: 5 }).toBe(100)
    expect(append.mock.calls.length).toBeLessThan(5)
    expect(log.lines).toMatchObject(Array.from({ length: 100 }, (_, n) => ({ tool: `t${n}` })))
  })

  it('writes the arguments as they were when the call ended, not as they were changed later', async () => {
    const log = memoryLog({ isFull: false })
    const audit = open({ log, values: true })
    const input = { list: ['before'] }
    void audit.record(attempt({ input }))
    input.list[0] = 'after'
    await audit[Symbol.asyncDispose]()
    expect(log.lines).toMatchObject([{ values: { list: ['before'] } }])
  })

  it('continues the log in a new file when the log file is removed while calls run', async () => {
    await using audit = open()
    void audit.record(attempt({ tool: 'first' }))
    const tools = async () => (await written().catch(() => [])).map(({ tool }) => tool)
    await expect.poll(tools).toEqual(['first'])
    await rm(file)
    void audit.record(attempt({ tool: 'second' }))
    await expect.poll(tools).toEqual(['second'])
    expect(problems).toEqual([])
  })

  it('lets calls run when the log cannot be written, reports the problem once, and counts the lost records at the end', async () => {
    const disk = { isFull: true }
    const log = memoryLog(disk)
    const audit = open({ log })
    for (let n = 0; n < 50; n++) {
      expect(await audit.admit(attempt())).toBeUndefined()
      expect(audit.record(attempt())).toBeUndefined()
    }
    await audit[Symbol.asyncDispose]()
    expect(problems).toEqual(['the disk is full', '50 records are missing from the audit log'])
  })

  it('counts the records that were lost because too many waited for the key', async () => {
    const audit = open({ log: memoryLog({ isFull: false }), store: createMemoryStore() })
    for (let n = 0; n < 10_050; n++) void audit.record(attempt())
    await audit[Symbol.asyncDispose]()
    expect(problems).toEqual([
      'The audit log waits for its key; records are lost',
      expect.stringMatching(/^50 records are missing/),
    ])
  })

  it('writes records again when the disk has space again', async () => {
    const disk = { isFull: true }
    const log = memoryLog(disk)
    const audit = open({ log })
    await audit.record(attempt({ tool: 'lost' }))
    await expect.poll(() => problems).toEqual(['the disk is full'])
    disk.isFull = false
    await audit.record(attempt({ tool: 'kept' }))
    await audit[Symbol.asyncDispose]()
    await new Promise((resolve) => setImmediate(resolve))
    expect(log.lines).toMatchObject([{ tool: 'kept' }])
  })
})

describe('a strict audit', () => {
  const intended = { caller: attempt().caller, server: 's', tool: 't' }

  it('writes a line before the call starts, and a line with the outcome before record() resolves', async () => {
    await using audit = open({ mode: 'strict' })
    expect(await audit.admit(intended)).toBeUndefined()
    expect(await written()).toMatchObject([{ event: 'started', server: 's', tool: 't' }])
    await audit.record(attempt())
    expect(await written()).toMatchObject([{ event: 'started' }, { event: 'call', outcome: 'ok' }])
  })

  it('refuses calls only while the log cannot be written', async () => {
    const disk = { isFull: false }
    await using audit = open({ mode: 'strict', log: memoryLog(disk) })
    expect(await audit.admit(intended)).toBeUndefined()
    disk.isFull = true
    expect(await audit.admit(intended)).toMatchObject({
      success: false,
      error: { code: 'AUDIT_FAILED', message: "'t' was not run: the audit log cannot be written", retryable: true },
    })
    disk.isFull = false
    expect(await audit.admit(intended)).toBeUndefined()
    expect(problems).toEqual(['the disk is full'])
  })

  it('refuses a call when the log file is a folder, and gives the path to the operator, not to the caller', async () => {
    await mkdir(file)
    await chmod(dir, 0o700)
    await using audit = open({ mode: 'strict' })
    const refused = await audit.admit(intended)
    expect(JSON.stringify(refused)).not.toContain(dir)
    expect(problems).toEqual([expect.stringContaining(file)])
  })

  it('reports a problem when the record of a finished call cannot be written', async () => {
    const disk = { isFull: true }
    await using audit = open({ mode: 'strict', log: memoryLog(disk) })
    await audit.record(attempt())
    expect(problems).toEqual(['the disk is full'])
  })
})
