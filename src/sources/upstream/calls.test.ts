import { describe, expect, it } from 'vitest'
import type { Caller, CommandContext, LogLevel, ServerRequest } from '../../core/call.ts'
import { contextOf } from '../source.fixture.ts'
import { fixture, serverWith, sourceOf, until } from './upstream.fixture.ts'

const legacyClient = (sessionId: string): Caller => ({ principal: 'http', era: 'legacy', transport: 'http', sessionId })

/** A context with a client that answers requests. `asked` has the requests, `heard` has the messages. */
function recordingContext(fields: Partial<CommandContext> = {}) {
  const heard: unknown[] = []
  const asked: ServerRequest[] = []
  const context = contextOf({
    progress: (...message) => heard.push(message),
    log: (level: LogLevel, data: unknown) => heard.push({ level, data }),
    onServerRequest: async (request) => {
      asked.push(request)
      return request.method === 'elicitation/create'
        ? { action: 'accept', content: { name: 'Ada' } }
        : { role: 'assistant', content: { type: 'text', text: 'A poem.' }, model: 'test' }
    },
    ...fields,
  })
  return { context, heard, asked }
}

describe('a call', () => {
  it('passes on all progress and log messages in order before the result', async () => {
    const { source } = sourceOf(fixture('talkative'))
    const { context, heard } = recordingContext()
    const result = await source.call('progress', {}, context)
    expect(result.data).toBe('done')
    expect(heard).toEqual([
      [1, 5, 'step 1'],
      [2, 5, 'step 2'],
      [3, 5, 'step 3'],
      { level: 'warning', data: { half: true } },
      [4, 5, 'step 4'],
      [5, 5, 'step 5'],
    ])
  })

  it('passes on all progress and log messages of a modern server', async () => {
    const { source } = sourceOf(fixture('modern'))
    const { context, heard } = recordingContext()
    expect((await source.call('progress', {}, context)).data).toBe('done')
    expect(heard).toEqual([
      [1, 3, undefined],
      [2, 3, undefined],
      [3, 3, undefined],
      { level: 'info', data: 'nearly there' },
    ])
  })

  it.each(['talkative', 'modern'])('cancels a call here and at the %s server', async (name) => {
    const { source } = sourceOf(fixture(name))
    await source.call('cancelled', {}, contextOf())
    const caller = new AbortController()
    const call = source.call('slow', {}, contextOf({ signal: caller.signal }))
    // The next call is answered after the first was read, so the first is in flight now.
    await source.call('cancelled', {}, contextOf())
    caller.abort()
    expect(await call).toMatchObject({ error: { code: 'CANCELLED', details: { server: 'tested', tool: 'slow' } } })
    const { data } = await source.call('cancelled', {}, contextOf())
    expect(data).toMatchObject({ cancelled: 1 })
  })

  it('does not send a call that is already cancelled', async () => {
    const { source } = sourceOf(fixture('talkative'))
    await source.call('cancelled', {}, contextOf())
    const result = await source.call('slow', {}, contextOf({ signal: AbortSignal.abort() }))
    expect(result.error?.code).toBe('CANCELLED')
    expect((await source.call('cancelled', {}, contextOf())).data).toEqual({ cancelled: 0, running: 0 })
  })

  it('ends a call here and at the server after its timeout', async () => {
    const { source } = sourceOf(fixture('talkative'), { config: { timeoutMs: 50 } })
    const result = await source.call('slow', {}, contextOf())
    expect(result.error).toMatchObject({
      code: 'TIMEOUT',
      message: "'slow' did not finish within 50 ms and was stopped",
    })
    expect((await source.call('cancelled', {}, contextOf())).data).toEqual({ cancelled: 1, running: 0 })
  })

  it('extends the timeout of a call with each progress message, up to maxCallMs', async () => {
    const patient = sourceOf(fixture('talkative'), { config: { timeoutMs: 200 } })
    expect((await patient.source.call('patient', {}, contextOf())).data).toBe('patient')
    const hurried = sourceOf(fixture('talkative'), { config: { timeoutMs: 200 }, options: { maxCallMs: 100 } })
    expect((await hurried.source.call('patient', {}, contextOf())).error).toMatchObject({ code: 'TIMEOUT' })
  })

  it('keeps the unchanged answer of the server in `wire`', async () => {
    const { source } = sourceOf(fixture('talkative'))
    expect(await source.call('odd', {}, contextOf())).toEqual({
      success: true,
      data: [1, 2],
      content: [{ type: 'hologram', extra: { kept: true } }],
      wire: {
        content: [{ type: 'hologram', extra: { kept: true } }],
        structuredContent: [1, 2],
        _meta: { trace: 'x' },
      },
    })
  })

  it('reports the failure of a tool with the message of the tool', async () => {
    const { source } = sourceOf(fixture('talkative'))
    const result = await source.call('fail', {}, contextOf())
    expect(result).toMatchObject({
      success: false,
      error: {
        code: 'TOOL_EXECUTION_ERROR',
        message: 'Failed to create issue: API rate limit exceeded',
        details: { server: 'tested', tool: 'fail' },
      },
      wire: { isError: true },
    })
  })

  it('fails a call when the answer is not a valid result', async () => {
    const { source } = sourceOf(fixture('talkative'))
    expect((await source.call('nonsense', {}, contextOf())).error).toMatchObject({ code: 'INVALID_RESULT' })
  })

  it('reports the server at fault if the result of a call is not an object', async () => {
    const { source } = sourceOf(
      serverWith(`
        const results = { null: null, text: 'hello', list: [1, 2] }
        serveRaw({ methods: {
          'tools/list': () => ({ tools: Object.keys(results).map((name) => tool(name)) }),
          'tools/call': ({ id, params }) => send({ id, result: results[params.name] }),
        } })`),
    )
    for (const name of ['null', 'text', 'list']) {
      const { success, error } = await source.call(name, {}, contextOf())
      expect({ success, error }).toMatchObject({
        success: false,
        error: {
          code: 'INVALID_RESULT',
          message: `'${name}' ran, but its answer cannot be used: its answer is not an object`,
          suggestion: expect.stringContaining("Server 'tested' is at fault, not the arguments"),
          details: { server: 'tested', tool: name },
        },
      })
    }
  })

  it('fails a call with the text of an error that has no message, or says that it has no reason', async () => {
    const { source } = sourceOf(
      serverWith(`
        const errors = { text: 'just text', object: { code: 1, message: { a: 1 } }, null: null }
        serveRaw({ methods: {
          'tools/list': () => ({ tools: Object.keys(errors).map((name) => tool(name)) }),
          'tools/call': ({ id, params }) => send({ id, error: errors[params.name] }),
        } })`),
    )
    const messageFor = async (name: string) => (await source.call(name, {}, contextOf())).error?.message
    expect(await messageFor('text')).toBe('just text')
    expect(await messageFor('object')).toBe('the server failed and gave no reason')
    expect(await messageFor('null')).toBe('the server failed and gave no reason')
  })

  it('fails a call that a legacy server answers with input_required', async () => {
    const { source } = sourceOf(fixture('misbehaves'))
    const { success, error } = await source.call('input-required', {}, contextOf())
    expect({ success, error }).toMatchObject({
      success: false,
      error: { code: 'INVALID_RESULT', message: expect.stringContaining("'input_required'") },
    })
    expect(error?.suggestion).toContain("Server 'tested' is at fault")
  })

  it('fails only the call with an answer that is too long', async () => {
    const { source, problems } = sourceOf(fixture('talkative'), { options: { maxFrameBytes: 100_000 } })
    const result = await source.call('large', { bytes: 1_000_000 }, contextOf())
    expect(result.error?.message).toMatch(/its message is 1000\d\d\d bytes long; at most 100000 are read/)
    expect((await source.call('large', { bytes: 5 }, contextOf())).data).toBe('xxxxx')
    expect(problems).toContainEqual(expect.stringMatching(/^it has sent \d+ bytes without a newline; at most 100000/))
  })

  it('refuses arguments that are too long and sends nothing', async () => {
    const { source } = sourceOf(fixture('talkative'), { options: { maxFrameBytes: 100_000 } })
    const result = await source.call('large', { bytes: 5, filling: 'x'.repeat(100_000) }, contextOf())
    expect(result.error?.message).toMatch(/the message to it would be 100\d\d\d bytes long; at most 100000 are sent/)
    expect((await source.call('large', { bytes: 5 }, contextOf())).data).toBe('xxxxx')
  })

  it('accepts an answer of many megabytes', async () => {
    const { source } = sourceOf(fixture('talkative'))
    const result = await source.call('large', { bytes: 15_000_000 }, contextOf())
    expect(result.data).toHaveLength(15_000_000)
  })

  it('answers a call to a server that floods its stderr, and keeps the end of the stderr', async () => {
    const { source } = sourceOf(fixture('flood-stderr'))
    expect((await source.call('flood', {}, contextOf())).data).toBe('flooded')
    await until(() => source.stderr().endsWith('the last line'))
    expect(source.stderr().length).toBeLessThanOrEqual(2_000)
  })
})

describe('a request of the server during a call', () => {
  it.each(['talkative', 'modern'])(
    'passes a request of the server to the client of the call, and returns the answer of the client (%s server)',
    async (name) => {
      const { source } = sourceOf(fixture(name))
      const { context, asked } = recordingContext()
      expect(JSON.stringify((await source.call('elicit', {}, context)).data)).toContain('Ada')
      expect(JSON.stringify((await source.call('sample', {}, context)).data)).toContain('A poem.')
      expect(asked.map(({ method }) => method)).toEqual(['elicitation/create', 'sampling/createMessage'])
    },
  )

  it('declines a request of a legacy server, and fails the call to a modern server, when no client can answer', async () => {
    const legacy = sourceOf(fixture('talkative'))
    expect((await legacy.source.call('elicit', {}, contextOf())).data).toEqual({ action: 'decline' })
    expect((await legacy.source.call('sample', {}, contextOf())).data).toMatchObject({ code: -1 })
    const modern = sourceOf(fixture('modern'))
    for (const name of ['elicit', 'sample']) {
      expect((await modern.source.call(name, {}, contextOf())).error).toMatchObject({
        code: 'CLIENT_CAPABILITY_MISSING',
      })
    }
  })

  it('fails a call when a modern server needs a capability that the client has not declared', async () => {
    const { source } = sourceOf(fixture('modern'))
    const caller: Caller = { principal: 'http', era: 'modern', transport: 'http', capabilities: { elicitation: {} } }
    const { context, asked } = recordingContext({ caller })
    expect((await source.call('elicit', {}, context)).success).toBe(true)
    const result = await source.call('sample', {}, context)
    expect(result.error).toMatchObject({
      code: 'CLIENT_CAPABILITY_MISSING',
      details: { requiredCapabilities: { sampling: {} } },
    })
    expect(asked).toHaveLength(1)
  })

  it('declines a request of the server when the client refuses it', async () => {
    const { source } = sourceOf(fixture('talkative'))
    const { context } = recordingContext({ onServerRequest: () => Promise.reject(new Error('no')) })
    expect((await source.call('elicit', {}, context)).data).toEqual({ action: 'decline' })
  })

  it('declines a request when two clients could be meant, and passes it on when all calls have the same client', async () => {
    const { source } = sourceOf(fixture('talkative'))
    const [first, second] = [
      recordingContext({ caller: legacyClient('1') }),
      recordingContext({ caller: legacyClient('2') }),
    ]
    const held = source.call('hold', {}, first.context)
    expect((await source.call('elicit', {}, second.context)).data).toEqual({ action: 'decline' })
    expect([...first.asked, ...second.asked]).toEqual([])
    expect(
      (await source.call('elicit', {}, recordingContext({ caller: legacyClient('1') }).context)).data,
    ).toMatchObject({
      action: 'accept',
    })
    await source.call('release', {}, contextOf())
    expect((await held).data).toBe('released')
  })

  it('delays calls of other clients if the server has sent a request to a client before', async () => {
    const { source, store } = sourceOf(fixture('talkative'))
    const [first, second] = [
      recordingContext({ caller: legacyClient('1') }),
      recordingContext({ caller: legacyClient('2') }),
    ]
    await source.call('elicit', {}, first.context)
    const held = source.call('hold', {}, first.context)
    const waiting = source.call('elicit', {}, second.context)
    // A client without capabilities does not have to wait.
    expect((await source.call('release', {}, contextOf())).data).toBe('ok')
    expect((await held).data).toBe('released')
    expect((await waiting).data).toMatchObject({ action: 'accept' })
    expect(second.asked).toHaveLength(1)
    for await (const key of store.keys('manifest:')) expect(await store.get(key)).toMatchObject({ asks: true })
  })

  it('does not count the wait for the answer of the client towards the timeout of the call', async () => {
    const { source } = sourceOf(fixture('talkative'), { config: { timeoutMs: 150 } })
    const { context } = recordingContext({
      onServerRequest: () => new Promise((resolve) => setTimeout(resolve, 400, { action: 'accept' })),
    })
    expect((await source.call('elicit', {}, context)).data).toEqual({ action: 'accept' })
  })
})

describe('a modern server', () => {
  it('a modern server reports changes of its list through a subscription', async () => {
    const { source } = sourceOf(fixture('modern'))
    await source.call('add', { a: 1, b: 1 }, contextOf())
    const changed = new Promise<void>((resolve) => source.onChange(resolve))
    await source.call('grow', {}, contextOf())
    await changed
    expect((await source.list(new AbortController().signal)).map(({ name }) => name)).toContain('grown-7')
  })
})
