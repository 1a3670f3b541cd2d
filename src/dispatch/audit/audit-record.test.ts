import { describe, expect, it } from 'vitest'
import { failure, success } from '../../core/result.ts'
import { toResult } from '../../sources/upstream/to-result.ts'
import { type Attempt, noteAttempt, recordOf, toStartedRecord } from './audit-record.ts'
import { hostileInputs } from './hostile-input.fixture.ts'
import { createKeyedHash } from './keyed-hash.ts'

const options = {
  hash: createKeyedHash(Buffer.alloc(32, 1)),
  redact: (text: string) => text,
  values: false,
  now: () => 0,
}

const toRecord = (given: Attempt, changes = options) => recordOf(noteAttempt(given), changes)

function attempt(changes: Partial<Attempt> = {}): Attempt {
  return {
    caller: { principal: 'alice', transport: 'http', era: 'legacy', sessionId: 'session-secret' },
    server: 'git',
    tool: 'push',
    input: { branch: 'main', force: true },
    result: success('done'),
    startedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
    durationMs: 12.3456,
    ...changes,
  }
}

describe('the record of an attempt', () => {
  it('a record has the caller, the tool, the shape of the arguments and the outcome', () => {
    expect(toRecord(attempt(), options)).toEqual({
      time: '2026-01-02T03:04:05.006Z',
      event: 'call',
      caller: {
        principal: 'alice',
        transport: 'http',
        era: 'legacy',
        session: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
      server: 'git',
      tool: 'push',
      outcome: 'ok',
      durationMs: 12.35,
      arguments: {
        bytes: 30,
        hash: expect.stringMatching(/^[0-9a-f]{32}$/),
        shape: { branch: 'string', force: 'boolean' },
      },
      result: { bytes: 30, blocks: 1 },
    })
  })

  it('a record contains neither the session id nor argument values nor the result', () => {
    const line = JSON.stringify(toRecord(attempt(), options))
    expect(line).not.toMatch(/session-secret|main|done/)
  })

  it('gives the same hashes for the same session and the same arguments', () => {
    const [one, two] = [
      toRecord(attempt(), options),
      toRecord(attempt({ input: { force: true, branch: 'main' } }), options),
    ]
    expect(two.caller).toEqual(one.caller)
    expect(two.arguments.hash).toBe(one.arguments.hash)
  })

  it('absent arguments are recorded as an empty object, in full', () => {
    const { arguments: absent } = toRecord(attempt({ input: undefined }), options)
    expect(absent).toEqual(toRecord(attempt({ input: {} }), options).arguments)
    expect(absent).toMatchObject({ bytes: 2, shape: {} })
  })

  it('a record has no session when the caller has none', () => {
    const caller = { principal: 'stdio', transport: 'stdio', era: 'modern' } as const
    expect(toRecord(attempt({ caller }), options).caller).toEqual(caller)
  })

  it('a record has the error code of a failure as its outcome', () => {
    const refused = failure({ code: 'TOOL_NOT_FOUND', message: 'no' })
    expect(toRecord(attempt({ result: refused }), options).outcome).toBe('TOOL_NOT_FOUND')
  })

  it('counts the bytes and blocks of an upstream result', () => {
    const content = [
      { type: 'text', text: 'é' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'a:b', blob: 'AAAAAAAA' } },
      { type: 'resource_link', uri: 'a:b', name: 'b' },
    ]
    expect(toRecord(attempt({ result: toResult('git', 'push', { content }) }), options).result).toEqual({
      bytes: 14,
      blocks: 4,
    })
  })

  it('a record has argument values without known secrets when values are on', () => {
    const redact = (text: string) => text.replaceAll('hunter2', '***')
    const input = { password: 'hunter2', n: 1 }
    expect(toRecord(attempt({ input }), { ...options, values: true, redact }).values).toEqual({ password: '***', n: 1 })
    expect(toRecord(attempt({ input }), options)).not.toHaveProperty('values')
  })

  it('removes known secrets from the tool name, because the caller chooses it', () => {
    const redact = (text: string) => text.replaceAll('hunter2', '***')
    expect(toRecord(attempt({ tool: 'log hunter2' }), { ...options, redact }).tool).toBe('log ***')
  })

  it.each(hostileInputs)('gives a line of less than 50,000 characters for hostile arguments: %s', (_, input) => {
    for (const values of [false, true]) {
      const record = toRecord(attempt({ input }), { ...options, values })
      expect(JSON.stringify(record).length).toBeLessThan(50_000)
    }
  })

  it('gives a short line for very long names and an invalid time', () => {
    const long = 'x'.repeat(1_000_000)
    const record = toRecord(attempt({ server: long, tool: long, startedAt: Number.NaN }), options)
    expect(JSON.stringify(record).length).toBeLessThan(2_000)
    expect(record.time).toBe('1970-01-01T00:00:00.000Z')
  })
})

describe('toStartedRecord', () => {
  it('the record of a start has the caller, the server and the tool of the call that starts', () => {
    const { caller, server, tool } = attempt()
    expect(toStartedRecord({ caller, server, tool }, options)).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      event: 'started',
      caller: { principal: 'alice', transport: 'http', era: 'legacy', session: expect.any(String) },
      server: 'git',
      tool: 'push',
    })
  })
})
