import { describe, expect, it } from 'vitest'
import { success } from '../../../core/result.ts'
import { loadTokenCounter } from '../../../core/tokens.ts'
import { commandOf, namesOf } from '../../../sources/commands/command.fixture.ts'
import { blocksOf, plain, stateOf, type TestView, type ViewOptions, viewOf } from '../../view.fixture.ts'
import { manage } from './manage.ts'

const commands = [
  commandOf('status-get', { description: 'Get the status. It is cheap.' }),
  commandOf('order-create', { description: 'Create an order for a customer.' }),
  commandOf('order-list', { description: 'List orders.' }),
  commandOf('mail-send', { description: 'Send a mail.', category: 'Post' }),
]

/** One client: its views share a state. */
function clientOf(options: unknown = {}, viewOptions: ViewOptions = {}) {
  const strategy = manage.create(options, plain)
  const state = stateOf()
  const open = () => viewOf(commands, { state, metaTools: strategy.metaTools, ...viewOptions })
  const [tool] = strategy.metaTools
  return {
    strategy,
    open,
    listed: async () => namesOf(await strategy.list(await open())),
    async manage(args: unknown) {
      const view = await open()
      return { result: await tool!.call(args, view), view }
    },
    /** Calls a tool as a client does over the protocol. */
    async call(name: string, args: unknown = {}) {
      const view = await open()
      return { result: await (strategy.call?.(name, args, view) ?? view.invoke(name, args)), view }
    },
  }
}

const changesIn = ({ view }: { readonly view: TestView }) => view.changes.length

describe('the listing of manage', () => {
  it('lists only manage_tools at first', async () => {
    expect(await clientOf().listed()).toEqual(['manage_tools'])
  })

  it('shows enabled tools in the order of the catalog, for any order of enabling', async () => {
    const one = clientOf()
    await one.manage({ action: 'enable', tools: ['order-list', 'status-get'] })
    const other = clientOf()
    await other.manage({ action: 'enable', tools: 'status-get' })
    await other.manage({ action: 'enable', tools: 'order-list' })
    expect(await one.listed()).toEqual(['manage_tools', 'status-get', 'order-list'])
    expect(await other.listed()).toEqual(await one.listed())
  })

  it('costs at most 250 tokens at first', async () => {
    const countTokens = await loadTokenCounter()
    const { strategy, open } = clientOf()
    expect(countTokens(JSON.stringify({ tools: await strategy.list(await open()) }))).toBeLessThanOrEqual(250)
  })

  it('also lists afd-call, afd-batch and afd-pipe if `builtins` is set', async () => {
    expect(await clientOf({ builtins: true }).listed()).toEqual(['manage_tools', 'afd-call', 'afd-batch', 'afd-pipe'])
  })
})

describe('manage_tools list', () => {
  it('gives the names and short descriptions of all tools', async () => {
    const { result } = await clientOf().manage({ action: 'list' })
    expect(blocksOf(result)).toEqual([
      [
        { name: 'status-get', description: 'Get the status' },
        { name: 'order-create', description: 'Create an order for a customer.' },
        { name: 'order-list', description: 'List orders.' },
        { name: 'mail-send', description: 'Send a mail.' },
      ],
    ])
  })

  it('marks enabled tools in the list', async () => {
    const client = clientOf()
    await client.manage({ action: 'enable', tools: 'mail-send' })
    const { result } = await client.manage({ action: 'list', category: 'post' })
    expect(blocksOf(result)).toEqual([[{ name: 'mail-send', description: 'Send a mail.', enabled: true }]])
  })

  it('gives pages, and the offset of the next page in a note', async () => {
    const client = clientOf()
    const { result } = await client.manage({ action: 'list', offset: 1, limit: 2 })
    const [list, note] = blocksOf(result)
    expect(list).toMatchObject([{ name: 'order-create' }, { name: 'order-list' }])
    expect(note).toEqual({ total: 4, nextOffset: 3 })
    const last = await client.manage({ action: 'list', offset: 3, limit: 2 })
    expect(blocksOf(last.result)).toHaveLength(1)
    const past = await client.manage({ action: 'list', offset: 9 })
    expect(blocksOf(past.result)).toEqual([[], { reason: 'The offset is past the last of 4 tools.' }])
  })

  it('lists the hits of a search best first, and only those of a category if one is given', async () => {
    const client = clientOf()
    const { result } = await client.manage({ action: 'list', search: 'send a mail' })
    expect(blocksOf(result)[0]).toMatchObject([{ name: 'mail-send' }, {}])
    const within = await client.manage({ action: 'list', search: 'create', category: 'order' })
    expect(blocksOf(within.result)[0]).toMatchObject([{ name: 'order-create' }])
  })

  it('gives the reason for an empty list, and the nearest names', async () => {
    const { result } = await clientOf().manage({ action: 'list', search: 'zzzrder-creat' })
    expect(blocksOf(result)).toEqual([
      [],
      { reason: expect.stringContaining('other words'), closest: ['order-create', 'order-list'] },
    ])
    const starting = clientOf({}, { servers: { slow: [] }, about: { slow: { state: 'starting' } } })
    const { result: other } = await starting.manage({ action: 'list', search: 'qqqq' })
    expect(blocksOf(other)[1]).toMatchObject({ reason: "Still starting: 'slow'; ask again in a moment." })
  })

  it('shows only the named tools, and reports unknown names', async () => {
    const { result } = await clientOf().manage({ action: 'list', tools: ['order-list', 'order-lost'] })
    const [list, note] = blocksOf(result)
    expect(list).toMatchObject([{ name: 'order-list' }])
    expect(note).toMatchObject({ errors: [{ name: 'order-lost' }] })
    const { result: refused } = await clientOf().manage({ action: 'list', category: 'oder' })
    expect(refused.error).toMatchObject({ code: 'CATEGORY_NOT_FOUND', details: { similar: ['order'] } })
    expect(refused.error?.suggestion).toContain("Did you mean 'order'?")
  })

  it('never shows or enables tools that are not visible', async () => {
    const client = clientOf({}, { unexposed: [commandOf('vault-open')] })
    expect(JSON.stringify((await client.manage({ action: 'list' })).result)).not.toContain('vault')
    const enabling = await client.manage({ action: 'enable', tools: 'vault-open' })
    expect(enabling.result.error?.code).toBe('COMMAND_NOT_EXPOSED')
    expect(changesIn(enabling)).toBe(0)
  })
})

describe('manage_tools enable and disable', () => {
  it('enables a tool by its name, and notifies the client once', async () => {
    const client = clientOf()
    const done = await client.manage({ action: 'enable', tools: 'status-get' })
    expect(blocksOf(done.result)).toEqual([{ message: 'Tools enabled.', enabled: ['status-get'] }])
    expect(changesIn(done)).toBe(1)
    expect(await client.listed()).toEqual(['manage_tools', 'status-get'])
  })

  it('enables the tools of a list and of a category in one call, and notifies the client once', async () => {
    const client = clientOf()
    const done = await client.manage({ action: 'enable', tools: ['status-get', 'status-get'], category: 'order' })
    expect(blocksOf(done.result)).toEqual([
      { message: 'Tools enabled.', enabled: ['status-get', 'order-create', 'order-list'] },
    ])
    expect(changesIn(done)).toBe(1)
  })

  it('stores the new state before it notifies the client', async () => {
    const client = clientOf()
    const view = await client.open()
    const seen: Promise<readonly { readonly name: string }[]>[] = []
    const listChanged = () => void seen.push(client.strategy.list(view))
    const [tool] = client.strategy.metaTools
    await tool?.call({ action: 'enable', tools: 'status-get' }, { ...view, listChanged })
    expect(namesOf((await seen[0]) ?? [])).toEqual(['manage_tools', 'status-get'])
  })

  it('reports tools that were already enabled, and does not notify the client without a change', async () => {
    const client = clientOf()
    await client.manage({ action: 'enable', tools: 'status-get' })
    const again = await client.manage({ action: 'enable', tools: 'status-get' })
    expect(blocksOf(again.result)).toEqual([
      { message: 'Nothing changed: already enabled.', alreadyEnabled: ['status-get'] },
    ])
    expect(changesIn(again)).toBe(0)
    const mixed = await client.manage({ action: 'enable', tools: ['status-get', 'order-list'] })
    expect(blocksOf(mixed.result)).toEqual([
      { message: 'Tools enabled.', enabled: ['order-list'], alreadyEnabled: ['status-get'] },
    ])
  })

  it('disables the tools of a category, and changes nothing for a tool that is not enabled', async () => {
    const client = clientOf()
    await client.manage({ action: 'enable', tools: ['status-get', 'order-list'] })
    const done = await client.manage({ action: 'disable', category: 'order' })
    expect(blocksOf(done.result)).toEqual([
      { message: 'Tools disabled.', disabled: ['order-list'], notEnabled: ['order-create'] },
    ])
    expect(changesIn(done)).toBe(1)
    expect(await client.listed()).toEqual(['manage_tools', 'status-get'])
    const again = await client.manage({ action: 'disable', tools: 'order-list' })
    expect(blocksOf(again.result)).toEqual([{ message: 'Nothing changed: not enabled.', notEnabled: ['order-list'] }])
    expect(changesIn(again)).toBe(0)
  })

  it('enables the known names of a list, and suggests names for the unknown ones', async () => {
    const client = clientOf()
    const done = await client.manage({ action: 'enable', tools: ['order-list', 'order-creat'] })
    expect(blocksOf(done.result)).toEqual([
      {
        message: 'Tools enabled.',
        enabled: ['order-list'],
        errors: [
          {
            name: 'order-creat',
            code: 'COMMAND_NOT_FOUND',
            message: "No command named 'order-creat'",
            suggestion: expect.stringContaining("Did you mean 'order-create'?"),
          },
        ],
      },
    ])
    expect(changesIn(done)).toBe(1)
  })

  it('refuses to enable tools if all names are unknown, and lists the error of each name', async () => {
    const done = await clientOf().manage({ action: 'enable', tools: ['order-creat', 'nowhere'], category: 'nothing' })
    expect(done.result).toMatchObject({ success: false, error: { code: 'COMMAND_NOT_FOUND' } })
    expect(done.result.error?.details).toMatchObject({
      errors: [{ name: 'order-creat' }, { name: 'nowhere' }, { name: 'nothing', code: 'CATEGORY_NOT_FOUND' }],
    })
    expect(changesIn(done)).toBe(0)
  })

  it.each([{ action: 'enable' }, { action: 'disable', tools: [] }, { action: 'enable', search: 'x' }])(
    'refuses a call with neither names nor a category: %j',
    async (args) => {
      const { result } = await clientOf().manage(args)
      expect(result.error?.code).toBe('VALIDATION_ERROR')
      expect(result.error?.suggestion).toContain('"tools"')
    },
  )

  it('refuses more than 200 names, also in a list that was sent as JSON text', async () => {
    const names = Array.from({ length: 201 }, () => 'status-get')
    for (const tools of [names, JSON.stringify(names)]) {
      expect((await clientOf().manage({ action: 'enable', tools })).result.error?.code).toBe('VALIDATION_ERROR')
    }
    const { result } = await clientOf().manage({ action: 'enable', tools: '["status-get","order-list"]' })
    expect(blocksOf(result)).toEqual([{ message: 'Tools enabled.', enabled: ['status-get', 'order-list'] }])
  })

  it('keeps the changes of concurrent calls', async () => {
    const client = clientOf()
    await Promise.all(
      ['status-get', 'order-list', 'mail-send'].map((tools) => client.manage({ action: 'enable', tools })),
    )
    expect(await client.listed()).toEqual(['manage_tools', 'status-get', 'order-list', 'mail-send'])
  })
})

describe('maxEnabled', () => {
  it('drops the least recently used tool at the limit, and reports it in the answer', async () => {
    const client = clientOf({ maxEnabled: 2 })
    await client.manage({ action: 'enable', tools: ['status-get', 'order-create'] })
    await client.call('status-get')
    const done = await client.manage({ action: 'enable', tools: 'order-list' })
    expect(blocksOf(done.result)).toEqual([
      {
        message: 'Tools enabled.',
        enabled: ['order-list'],
        disabledToMakeRoom: ['order-create'],
        maxEnabled: 2,
      },
    ])
    expect(changesIn(done)).toBe(1)
    expect(await client.listed()).toEqual(['manage_tools', 'status-get', 'order-list'])
  })

  it('refuses to enable more tools than the limit, gives both numbers, and changes nothing', async () => {
    const client = clientOf({ maxEnabled: 1 })
    await client.manage({ action: 'enable', tools: 'mail-send' })
    const done = await client.manage({ action: 'enable', category: 'order' })
    expect(done.result.error).toMatchObject({
      code: 'TOO_MANY_TOOLS',
      message: expect.stringMatching(/^2 tools .* 1 /),
    })
    expect(changesIn(done)).toBe(0)
    expect(await client.listed()).toEqual(['manage_tools', 'mail-send'])
  })

  it('first drops tools that no longer exist, without reporting them', async () => {
    const state = stateOf()
    await state.set('enabled-tools', ['commands:status-get', 'gone:tool'])
    const client = clientOf({ maxEnabled: 2 }, { state })
    const done = await client.manage({ action: 'enable', tools: 'order-list' })
    expect(blocksOf(done.result)).toEqual([{ message: 'Tools enabled.', enabled: ['order-list'] }])
    expect(await client.listed()).toEqual(['manage_tools', 'status-get', 'order-list'])
  })

  it('does not answer that nothing changed if only other tools were disabled', async () => {
    const state = stateOf()
    await clientOf({ maxEnabled: 3 }, { state }).manage({
      action: 'enable',
      tools: ['status-get', 'order-create', 'order-list'],
    })
    const done = await clientOf({ maxEnabled: 2 }, { state }).manage({ action: 'enable', tools: 'order-list' })
    expect(blocksOf(done.result)).toEqual([
      {
        message: 'Already enabled.',
        alreadyEnabled: ['order-list'],
        disabledToMakeRoom: ['status-get'],
        maxEnabled: 2,
      },
    ])
    expect(changesIn(done)).toBe(1)
  })

  it('allows 40 enabled tools by default, and refuses a maxEnabled below 1 and unknown options', () => {
    expect(clientOf().strategy.guide).toContain('40')
    expect(() => manage.create({ maxEnabled: 0 }, plain)).toThrow('maxEnabled')
    expect(() => manage.create({ max: 1 }, plain)).toThrow('max')
  })

  it('starts with an empty set if the store contains invalid data', async () => {
    const state = stateOf()
    await state.set('enabled-tools', { not: 'a list' })
    expect(await clientOf({}, { state }).listed()).toEqual(['manage_tools'])
  })
})

describe('a call under manage', () => {
  it('refuses a call of a tool that is not enabled, and names the next step', async () => {
    const { result, view } = await clientOf().call('order-list')
    expect(result.error).toMatchObject({
      code: 'TOOL_NOT_ENABLED',
      suggestion: 'Call manage_tools with {"action": "enable", "tools": "order-list"}, then call it again.',
    })
    expect(view.calls).toEqual([])
  })

  it('runs an enabled tool, and does not notify the client', async () => {
    const client = clientOf()
    await client.manage({ action: 'enable', tools: 'order-list' })
    const done = await client.call('order-list', { page: 2 })
    expect(done.result.data).toBe('done')
    expect(done.view.calls).toEqual([['invoke', 'commands:order-list', { page: 2 }]])
    expect(changesIn(done)).toBe(0)
  })

  it('enables and runs a tool in one step with autoEnable, and notifies the client once', async () => {
    const client = clientOf({ autoEnable: true })
    const first = await client.call('order-list', {})
    expect(first.result.data).toBe('done')
    expect(changesIn(first)).toBe(1)
    expect(await client.listed()).toEqual(['manage_tools', 'order-list'])
    expect(changesIn(await client.call('order-list', {}))).toBe(0)
  })

  it('warns with autoEnable about tools that were disabled to make room', async () => {
    const client = clientOf({ autoEnable: true, maxEnabled: 1 })
    await client.call('order-list')
    const { result } = await client.call('mail-send')
    expect(result.warnings).toEqual([
      { code: 'TOOLS_DISABLED', message: "Disabled to make room: 'order-list'.", severity: 'info' },
    ])
  })

  it('adds the warning about disabled tools to the content of an answer of another server', async () => {
    const answer = success('done', { wire: { content: [{ type: 'text', text: 'done' }] } })
    const client = clientOf({ autoEnable: true, maxEnabled: 1 }, { answer })
    await client.call('order-list')
    const { result } = await client.call('mail-send')
    expect(result.warnings).toMatchObject([{ code: 'TOOLS_DISABLED' }])
    expect(result.wire?.content).toEqual([
      { type: 'text', text: 'done' },
      { type: 'text', text: "Disabled to make room: 'order-list'." },
    ])
  })

  it('does not handle names that cannot be called, so that they get the usual refusal', async () => {
    const client = clientOf({ autoEnable: true }, { unexposed: [commandOf('vault-open')] })
    const view = await client.open()
    expect(client.strategy.call?.('vault-open', {}, view)).toBeUndefined()
    expect(client.strategy.call?.('nowhere', {}, view)).toBeUndefined()
  })
})
