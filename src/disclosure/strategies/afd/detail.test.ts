import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { loadTokenCounter } from '../../../core/tokens.ts'
import { commandOf } from '../../../sources/commands/command.fixture.ts'
import { contextual, plain, viewOf } from '../../view.fixture.ts'
import type { View } from '../../view.ts'
import { createDetail, type DetailEntry, type DetailResult } from './detail.ts'

const commands = [
  commandOf('order-cancel', {
    description: 'Cancel a pending order. It cannot be undone.',
    tags: ['billing'],
    version: '1.1.0',
    mutation: true,
    destructive: true,
    confirmPrompt: 'Cancel it?',
    executionTime: 'fast',
    errors: ['ORDER_SHIPPED'],
    handoff: false,
    input: z.object({ orderId: z.string() }),
    contexts: ['billing'],
  }),
  commandOf('order-list'),
]
const view = await viewOf(commands, { unexposed: [commandOf('vault-open')] })
const detail = createDetail(plain)

async function ask(command: unknown, where: View = view): Promise<readonly DetailEntry[]> {
  const result = await detail.call({ command }, where)
  if (!result.success) throw new Error(result.error?.message)
  return result.data as readonly DetailEntry[] // The data of this tool has this type.
}

describe('afd-detail', () => {
  it('describes a command completely, in a list of one entry', async () => {
    expect(await ask('order-cancel')).toEqual([
      {
        name: 'order-cancel',
        found: true,
        description: 'Cancel a pending order. It cannot be undone.',
        category: 'order',
        tags: ['billing'],
        version: '1.1.0',
        mutation: true,
        destructive: true,
        confirmPrompt: 'Cancel it?',
        executionTime: 'fast',
        errors: ['ORDER_SHIPPED'],
        handoff: false,
        contexts: ['billing'],
        inputSchema: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
        hash: expect.stringMatching(/^[0-9a-z]{6}$/),
        callable: true,
      },
    ])
  })

  it('leaves out facts that the author did not declare, such as mutation', async () => {
    const [entry] = await ask('order-list')
    expect(Object.keys(entry ?? {}).sort()).toEqual(
      ['callable', 'category', 'description', 'found', 'hash', 'inputSchema', 'name'].sort(),
    )
  })

  it('answers with a short entry for a command if the client sends its current hash', async () => {
    const [cancel, list] = (await ask(['order-cancel', 'order-list'])) as readonly DetailResult[] // both exist
    const again = async (ifNot: unknown) =>
      (await detail.call({ command: ['order-cancel', 'order-list', 'nope'], ifNot }, view)).data
    const unchanged = (name: string) => ({ name, found: true, unchanged: true, callable: true })
    const nope = { name: 'nope', found: false, error: expect.anything() }
    expect(await again(cancel?.hash)).toEqual([unchanged('order-cancel'), list, nope])
    expect(await again([list?.hash, cancel?.hash])).toEqual([unchanged('order-cancel'), unchanged('order-list'), nope])
    expect(await again('other')).toEqual([cancel, list, nope])
    const countTokens = await loadTokenCounter()
    expect(countTokens(JSON.stringify(unchanged('order-cancel')))).toBeLessThan(25)
  })

  it('gives another hash if the description, the schema or a trait differs, and the same hash otherwise', async () => {
    const hash = async (fields: Parameters<typeof commandOf>[1]) => {
      const [entry] = await ask('order-list', await viewOf([commandOf('order-list', fields)]))
      return entry !== undefined && 'hash' in entry ? entry.hash : undefined
    }
    const plainHash = await hash({})
    expect(await hash({})).toBe(plainHash)
    expect(await hash({ description: 'Another.' })).not.toBe(plainHash)
    expect(await hash({ input: z.object({ id: z.string() }) })).not.toBe(plainHash)
    expect(await hash({ destructive: true })).not.toBe(plainHash)
  })

  it('answers in the order of the names, including repeated and unknown ones', async () => {
    const entries = await ask(['order-list', 'nope-nope', 'order-cancel', 'order-list'])
    expect(entries.map(({ name, found }) => [name, found])).toEqual([
      ['order-list', true],
      ['nope-nope', false],
      ['order-cancel', true],
      ['order-list', true],
    ])
  })

  it('accepts a list that was sent as JSON text, with at most ten names', async () => {
    expect((await ask('["order-list","nope"]')).map(({ name, found }) => [name, found])).toEqual([
      ['order-list', true],
      ['nope', false],
    ])
    const many = JSON.stringify(Array.from({ length: 11 }, () => 'order-list'))
    expect((await detail.call({ command: many }, view)).error?.code).toBe('VALIDATION_ERROR')
  })

  it('adds reasoning, confidence and the execution time', async () => {
    const result = await detail.call({ command: ['order-list', 'nope'] }, view)
    expect(result).toMatchObject({ success: true, confidence: 1, reasoning: 'Found 1 of 2 commands' })
    expect((await detail.call({ command: 'order-list' }, view)).reasoning).toBe('Found 1 of 1 command')
    expect(result.metadata?.executionTimeMs).toBeGreaterThanOrEqual(0)
  })

  it('suggests the nearest command for an unknown name, and lists all near ones in the details', async () => {
    expect(await ask('order-cancle')).toEqual([
      {
        name: 'order-cancle',
        found: false,
        error: {
          code: 'COMMAND_NOT_FOUND',
          message: "No command named 'order-cancle'",
          suggestion: "Did you mean 'order-cancel'? Use afd-discover to list all commands.",
          details: { similar: ['order-cancel', 'order-list'] },
        },
      },
    ])
    const [stranger] = await ask('xylophone-quartz-jukebox')
    expect(stranger).toMatchObject({ error: { suggestion: 'Use afd-discover to list all commands.' } })
    expect(stranger).not.toHaveProperty('error.details')
  })

  it('describes an unexposed command as not callable, and never suggests it', async () => {
    expect(await ask('vault-open')).toMatchObject([{ found: true, callable: false }])
    expect(JSON.stringify(await ask('vault-opem'))).not.toContain('vault-open')
  })

  it('describes a command of another context as not callable, and never suggests it', async () => {
    const elsewhere = await viewOf(commands, { context: 'support' })
    expect(await ask(['order-cancel', 'order-list'], elsewhere)).toMatchObject([
      { callable: false },
      { callable: true },
    ])
    expect(JSON.stringify(await ask('order-cancle', elsewhere))).not.toContain('order-cancel')
  })

  it('builds the entry of a command once, and sets callable for each caller', async () => {
    const [first] = await ask('order-cancel')
    const [second] = await ask('order-cancel')
    expect(second).toBe(first)
    expect(Object.isFrozen(first)).toBe(true)
    const tools = view.known.tools
    // The same tools in another context, as for two sessions of one server.
    const elsewhere: View = {
      ...view,
      lookup(name) {
        const tool = tools.find((one) => one.listedName === name)
        if (tool === undefined) return { found: false, why: 'unknown', similar: [] }
        return { found: true, tool, visibility: { degree: 'out-of-context', active: 'support', contexts: ['billing'] } }
      },
    }
    const [there] = await ask('order-cancel', elsewhere)
    expect(there).toEqual({ ...first, callable: false })
    expect(await ask('order-cancel')).toEqual([first])
  })

  it('refuses an unknown field and names it', async () => {
    const result = await detail.call({ command: 'order-list', verbose: true }, view)
    expect(result.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: "Invalid input for 'afd-detail': Unknown field 'verbose'",
    })
    expect(await createDetail(contextual).call({ command: 'order-list', context: 'billing' }, view)).toMatchObject({
      error: { message: expect.stringContaining("Unknown field 'context'") },
    })
  })

  it('accepts at most ten names', async () => {
    expect(await ask(Array.from({ length: 10 }, () => 'order-list'))).toHaveLength(10)
    const result = await detail.call({ command: Array.from({ length: 11 }, () => 'order-list') }, view)
    expect(result.error?.code).toBe('VALIDATION_ERROR')
    expect(result.error?.message).toContain("'command'")
  })

  it.each([undefined, null, 7, '', [], [''], [7], ['order-list', ''], {}])('refuses %j as a name', async (command) => {
    const result = await detail.call({ command }, view)
    expect(result.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      suggestion: 'Call it as afd-detail(command, ifNot?).',
    })
  })

  it('treats names of inherited properties as unknown', async () => {
    const names = ['__proto__', 'constructor', 'toString']
    expect((await ask(names)).map((entry) => entry.found)).toEqual([false, false, false])
  })

  it('takes no context, because the description of a command is the same in every context', () => {
    expect(createDetail(contextual).takesContext).toBe(false)
    expect(createDetail(contextual).listed).toEqual(detail.listed)
  })
})
