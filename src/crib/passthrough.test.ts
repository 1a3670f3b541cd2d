import { getEventListeners } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { StdioConnection } from '../config/server-config.ts'
import { scriptedSource } from '../sources/source.fixture.ts'
import type { ToolSource } from '../sources/source.ts'
import { LoginRequired } from '../sources/upstream/auth/login-errors.ts'
import type { ServerNotification } from '../sources/upstream/server-messages.ts'
import { fixture, signal, sourceOf, type TestedOptions, until } from '../sources/upstream/upstream.fixture.ts'
import { createMemoryStore } from '../storage/memory.ts'
import type { FeatureKind } from './features.ts'
import { createPassthrough, type PassthroughOptions } from './passthrough.ts'

function server(name: string, connection: StdioConnection, options: TestedOptions = {}) {
  return sourceOf(connection, { ...options, config: { name } })
}

function through(sources: readonly ToolSource[], options: Partial<PassthroughOptions> = {}) {
  const problems: string[] = []
  const changed: FeatureKind[] = []
  const passthrough = createPassthrough({
    sources: () => sources,
    listWaitMs: 10_000,
    onProblem: (id, reason) => void problems.push(`${id}: ${reason}`),
    ...options,
  })
  passthrough.onChange((kind) => void changed.push(kind))
  onTestFinished(() => passthrough[Symbol.asyncDispose]())
  const names = async (kind: FeatureKind) =>
    (await passthrough.list(kind, signal)).map(({ name, uri, uriTemplate }) => uri ?? uriTemplate ?? name)
  return { passthrough, problems, changed, names }
}

describe('a passthrough with one server', () => {
  it('lists all pages, adds no server to names and URIs, and leaves out malformed entries', async () => {
    const { source } = server('shelf', fixture('shelf'))
    const { passthrough, names } = through([source])
    expect(await names('prompts')).toEqual(['greet', 'a_b', 'last'])
    expect(await names('resources')).toEqual(['file:///only-here.txt', 'demo://shared'])
    expect(await names('resourceTemplates')).toEqual(['shelf://{id}'])
    const [greet] = await passthrough.list('prompts', signal)
    expect(greet).toEqual({ name: 'greet', description: 'Greets.', arguments: [{ name: 'who', required: true }] })
  })

  it('sends the server its own names, and returns its answers unchanged', async () => {
    const { source } = server('shelf', fixture('shelf'))
    const { passthrough } = through([source])
    const prompt = await passthrough.answer('prompts/get', { name: 'a_b', arguments: { who: 'Ada' } }, signal)
    expect(prompt).toMatchObject({ ok: true, result: { description: 'Prompt a b' } })
    expect(prompt).toMatchObject({
      result: { messages: [{ content: { text: 'Hello Ada' } }, { content: { uri: 'demo://shared' } }, {}] },
    })
    expect(await passthrough.answer('resources/read', { uri: 'shelf://42' }, signal)).toEqual({
      ok: true,
      result: { contents: [{ uri: 'shelf://42', mimeType: 'text/plain', text: 'The text of shelf://42' }] },
    })
    const ref = { type: 'ref/prompt', name: 'a_b' }
    expect(
      await passthrough.answer('completion/complete', { ref, argument: { name: 'who', value: 'A' } }, signal),
    ).toEqual({
      ok: true,
      result: {
        completion: {
          values: [JSON.stringify({ ref: { type: 'ref/prompt', name: 'a b' }, argument: { name: 'who', value: 'A' } })],
        },
      },
    })
  })

  it('subscribes to the notifications of a server once, however often its lists are read', async () => {
    const { source } = server('shelf', fixture('shelf'))
    let subscriptions = 0
    const counted: typeof source = {
      ...source,
      onNotification(listener) {
        subscriptions++
        return source.onNotification(listener)
      },
    }
    const { names } = through([counted])
    for (let time = 0; time < 3; time++) await names('prompts')
    expect(subscriptions).toBe(1)
  })

  it('keeps no listener for a server that was replaced after an edit', async () => {
    const { source } = server('shelf', fixture('shelf'))
    const sources: ToolSource[] = []
    let closing: AbortSignal | undefined
    const { names } = through(sources)
    for (let time = 0; time < 3; time++) {
      const edited: typeof source = {
        ...source,
        request(method, params, given, ...rest) {
          closing = given
          return source.request(method, params, given, ...rest)
        },
      }
      sources.splice(0, 1, edited)
      expect(await names('prompts')).toHaveLength(3)
    }
    expect(getEventListeners(closing!, 'abort')).toEqual([])
  })

  it("refuses an unknown prompt, and passes on the server's error for an unknown resource", async () => {
    const { source } = server('shelf', fixture('shelf'))
    const { passthrough } = through([source])
    expect(await passthrough.answer('resources/read', { uri: 'nowhere://x' }, signal)).toEqual({
      ok: false,
      rpcCode: -32602,
      message: expect.stringContaining('Nothing at nowhere://x'),
      data: { uri: 'nowhere://x' },
    })
    expect(await passthrough.answer('prompts/get', { name: 'nope' }, signal)).toMatchObject({
      ok: false,
      rpcCode: -32602,
      message: "No prompt named 'nope'; prompts/list shows all prompts.",
    })
  })

  it('passes a cancellation on to the server', async () => {
    const { source } = server('shelf', fixture('shelf'))
    const { passthrough } = through([source])
    const count = async () =>
      JSON.stringify(await passthrough.answer('resources/read', { uri: 'shelf://cancelled' }, signal))
    await count()
    const giveUp = new AbortController()
    const slow = passthrough.answer('resources/read', { uri: 'shelf://slow' }, giveUp.signal)
    await count()
    giveUp.abort()
    expect(await slow).toMatchObject({ ok: false })
    expect(await count()).toContain('"text":"1"')
  })
})

describe('a passthrough with several servers', () => {
  it('adds the server to every name and URI, and resolves them back to that server', async () => {
    const [old, modern] = [server('old one', fixture('shelf')), server('modern', fixture('shelf-modern'))]
    const { passthrough, names } = through([old.source, modern.source])
    expect(await names('prompts')).toEqual(['old_one__greet', 'old_one__a_b', 'old_one__last', 'modern__greet'])
    expect(await names('resources')).toEqual([
      'toolcrib://old%20one/file:///only-here.txt',
      'toolcrib://old%20one/demo://shared',
      'toolcrib://modern/demo://shared',
    ])
    expect(await names('resourceTemplates')).toEqual(['toolcrib://old%20one/shelf://{id}'])
    const prompt = await passthrough.answer('prompts/get', { name: 'modern__greet', arguments: { who: 'Ada' } }, signal)
    expect(prompt).toMatchObject({ ok: true, result: { messages: [{ content: { text: 'Modern Ada' } }] } })
    const uri = 'toolcrib://modern/demo://shared'
    expect(await passthrough.answer('resources/read', { uri }, signal)).toMatchObject({
      ok: true,
      result: { contents: [{ uri, text: 'The modern text' }] },
    })
    const other = 'toolcrib://old%20one/shelf://42'
    expect(await passthrough.answer('resources/read', { uri: other }, signal)).toMatchObject({
      result: { contents: [{ uri: other, text: 'The text of shelf://42' }] },
    })
    const linked = await passthrough.answer('prompts/get', { name: 'old_one__greet' }, signal)
    expect(JSON.stringify(linked).match(/"uri":"[^"]*"/g)).toEqual(
      Array(2).fill('"uri":"toolcrib://old%20one/demo://shared"'),
    )
    const ref = { type: 'ref/resource', uri: 'toolcrib://old%20one/shelf://{id}' }
    const completion = await passthrough.answer(
      'completion/complete',
      { ref, argument: { name: 'id', value: '' } },
      signal,
    )
    expect(JSON.stringify(completion)).toContain(JSON.stringify('"shelf://{id}"').slice(1, -1))
    const without = { ref: { type: 'ref/prompt', name: 'modern__greet' }, argument: { name: 'who', value: '' } }
    expect(await passthrough.answer('completion/complete', without, signal)).toEqual({
      ok: true,
      result: { completion: { values: [] } },
    })
  })

  it('resolves a bare URI, as in the result of a tool, to the one server that lists it or has a matching template', async () => {
    const [old, modern] = [server('old', fixture('shelf')), server('modern', fixture('shelf-modern'))]
    const { passthrough } = through([old.source, modern.source])
    const read = (uri: string) => passthrough.answer('resources/read', { uri }, signal)
    expect(await read('file:///only-here.txt')).toMatchObject({ ok: true })
    expect(await read('shelf://7')).toMatchObject({ ok: true })
    expect(await read('demo://shared')).toMatchObject({
      ok: false,
      message:
        'Several servers have demo://shared: read toolcrib://old/demo://shared or toolcrib://modern/demo://shared.',
    })
    expect(await read('other://x')).toMatchObject({
      ok: false,
      message: 'Resource not found: other://x',
      data: { uri: 'other://x' },
    })
    expect(await read('toolcrib://nobody/demo://shared')).toMatchObject({ ok: false })
  })

  it('adds the prefix to names even if the other source has only tools', async () => {
    const { source } = server('shelf', fixture('shelf'))
    const { names } = through([source, scriptedSource('commands', ['todo-add'])])
    expect(await names('prompts')).toEqual(['shelf__greet', 'shelf__a_b', 'shelf__last'])
  })

  it('leaves out only the entries of a server that does not start or answer, and waits for it once', async () => {
    const [good, broken] = [server('good', fixture('shelf')), server('broken', fixture('crash-on-start'))]
    const hanging = server('hanging', fixture('hang'), { options: { startTimeoutMs: 60_000 } })
    const { names, passthrough, problems } = through([good.source, broken.source, hanging.source], {
      listWaitMs: 2_000,
    })
    expect(await names('prompts')).toContain('good__greet')
    const startedAt = performance.now()
    expect(await names('prompts')).toContain('good__greet')
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    // The source itself reports why a start failed.
    expect(problems).toEqual([])
    expect(broken.source.state()).toMatchObject({ state: 'failed' })
    expect(await passthrough.answer('prompts/get', { name: 'good__greet' }, signal)).toMatchObject({ ok: true })
    const read = passthrough.answer('resources/read', { uri: 'toolcrib://broken/x://y' }, signal)
    expect(await read).toMatchObject({
      ok: false,
      rpcCode: -32000,
      data: { code: 'SERVER_UNAVAILABLE', server: 'broken' },
    })
  })
})

describe('a passthrough and its servers', () => {
  it('does not start a server that declares neither prompts nor resources', async () => {
    const { source, states } = server('tools', fixture('asks'))
    await source.ensure(signal)
    await source.stop()
    const before = states.length
    const { names } = through([source])
    expect(await names('prompts')).toEqual([])
    expect(await names('resources')).toEqual([])
    expect(states.slice(before)).toEqual([])
  })

  it('does not start a server if its lists are in the store', async () => {
    const store = createMemoryStore()
    const first = server('shelf', fixture('shelf'), { store })
    expect(await through([first.source], { store }).names('prompts')).toHaveLength(3)
    await until(() => first.source.state().state === 'connected')
    await first.source.stop()
    const second = server('shelf', fixture('shelf'), { store })
    expect(await through([second.source], { store }).names('prompts')).toEqual(['greet', 'a_b', 'last'])
    expect(second.states).toEqual([])
  })

  it('keeps the list of a server that fails later', async () => {
    let now = 0
    const { source } = server('shelf', fixture('shelf', 'failing'))
    const { names, problems } = through([source], { now: () => now })
    expect(await names('prompts')).toHaveLength(3)
    now += 3_600_001
    expect(await names('prompts')).toHaveLength(3)
    await until(() => problems.length > 0)
    expect(problems).toEqual(['shelf: its prompts could not be listed: The shelf fell down'])
    expect(await names('prompts')).toHaveLength(3)
  })

  it('asks again for a changed list after the request for it has failed', async () => {
    const { source } = server('shelf', fixture('shelf'))
    const failure = { kind: 'late', afterMs: 50 } as const
    let isFailing = false
    let requests = 0
    let notify = (_notification: ServerNotification) => {}
    const changing: typeof source = {
      ...source,
      onNotification(listener) {
        notify = listener
        return () => {}
      },
      async request(...args) {
        requests++
        return isFailing ? failure : source.request(...args)
      },
    }
    const { names, problems } = through([changing], { now: () => 0 })
    const first = await names('prompts')
    isFailing = true
    notify({ kind: 'listChanged', of: 'prompts' })
    expect(await names('prompts')).toEqual(first)
    expect(problems).toEqual(['shelf: its prompts could not be listed: it did not answer in 50 ms'])
    isFailing = false
    const before = requests
    expect(await names('prompts')).toEqual(first)
    expect(requests).toBeGreaterThan(before)
    const after = requests
    await names('prompts')
    expect(requests).toBe(after)
  })

  it.each([
    [{ kind: 'late', afterMs: 50 }, 'it did not answer in 50 ms'],
    [{ kind: 'capability-missing', capability: 'sampling' }, "it needs a client that declares 'sampling'"],
    [
      { kind: 'login', needed: new LoginRequired('shelf', { why: 'none' }) },
      'it needs login: run `toolcrib login shelf`',
    ],
  ] as const)('reports why a list was not answered: %j', async (outcome, reason) => {
    const { source } = server('shelf', fixture('shelf'))
    await source.ensure(signal)
    const unanswered: typeof source = { ...source, request: async () => outcome }
    const { names, problems } = through([unanswered])
    expect(await names('resourceTemplates')).toEqual([])
    expect(problems).toEqual([`shelf: its resource templates could not be listed: ${reason}`])
  })

  it('refuses a prompt with CLIENT_CAPABILITY_MISSING if its server needs a capability of the client', async () => {
    const { source } = server('shelf', fixture('shelf'))
    await source.ensure(signal)
    const outcome = { kind: 'capability-missing', capability: 'sampling' } as const
    const needy: typeof source = {
      ...source,
      request: async (method, ...rest) => (method === 'prompts/get' ? outcome : source.request(method, ...rest)),
    }
    const { passthrough } = through([needy])
    expect(await passthrough.answer('prompts/get', { name: 'a_b' }, signal)).toMatchObject({
      ok: false,
      rpcCode: -32021,
      message: "'shelf' needs a client that declares 'sampling'",
      data: { code: 'CLIENT_CAPABILITY_MISSING', server: 'shelf', requiredCapabilities: { sampling: {} } },
    })
  })

  it('reports a changed list to clients that got the old one', async () => {
    let now = 0
    const { source } = server('shelf', fixture('shelf', 'changing'))
    const { names, changed } = through([source], { now: () => now })
    expect(await names('prompts')).toContain('new-1')
    expect(await names('prompts')).toContain('new-1')
    expect(changed).toEqual([])
    now += 3_600_001
    await names('prompts')
    await until(() => changed.length > 0)
    expect(await names('prompts')).toContain('new-2')
    expect(changed).toEqual(['prompts'])
  })

  it('does not wait for a server after the client has disconnected', async () => {
    const { source } = server('hanging', fixture('hang'), { options: { startTimeoutMs: 60_000 } })
    const { passthrough } = through([source])
    const giveUp = new AbortController()
    const listing = passthrough.list('prompts', giveUp.signal)
    giveUp.abort(new Error('gone'))
    await expect(listing).rejects.toThrow('gone')
  })
})
