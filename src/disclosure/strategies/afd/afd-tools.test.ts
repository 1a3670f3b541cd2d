import { describe, expect, it } from 'vitest'
import { failure, success } from '../../../core/result.ts'
import { commandOf } from '../../../sources/commands/command.fixture.ts'
import { contextual, plain, viewOf } from '../../view.fixture.ts'
import { createBatch, createCall } from './afd-tools.ts'
import { createDetail } from './detail.ts'
import { createDiscover } from './discover.ts'

const call = createCall(plain)
const metaTools = [createDiscover(plain), createDetail(plain)]
const commands = [commandOf('order-list'), commandOf('order-create', { contexts: ['sales'] })]

describe('afd-call', () => {
  it('runs the command by its name with its input, and with an empty input by default', async () => {
    const view = await viewOf(commands)
    await call.call({ command: 'order-create', input: { id: 1 } }, view)
    await call.call({ command: 'order-list' }, view)
    expect(view.calls).toEqual([
      ['invoke', 'order-create', { id: 1 }],
      ['invoke', 'order-list', {}],
    ])
  })

  it('returns the result of the command unchanged, whether it succeeded or failed', async () => {
    for (const answer of [
      success({ id: 1 }, { confidence: 0.4, reasoning: 'Because', metadata: { traceId: 't' } }),
      failure({ code: 'GONE', message: 'It is gone' }),
    ]) {
      expect(await call.call({ command: 'order-list' }, await viewOf(commands, { answer }))).toBe(answer)
    }
  })

  it.each([
    [undefined, "Required field 'command' is missing"],
    [{}, "Required field 'command' is missing"],
    [{ command: 7 }, "Field 'command'"],
    [{ command: '' }, "Field 'command'"],
    [{ command: 'order-list', input: [] }, "Field 'input'"],
    [{ command: 'order-list', input: null }, "Field 'input'"],
    [{ command: 'order-list', input: 'not json' }, "Field 'input'"],
    ['order-list', 'Input'],
    [[], 'Input'],
  ])('refuses %j with the reason, and runs nothing', async (args, message) => {
    const view = await viewOf(commands)
    expect(await call.call(args, view)).toMatchObject({
      success: false,
      error: {
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining(message),
        suggestion: 'Call it as afd-call(command, input?).',
      },
    })
    expect(view.calls).toEqual([])
  })

  it('decodes an input, or all arguments, that a model sent as a JSON string', async () => {
    const view = await viewOf(commands)
    await call.call({ command: 'order-list', input: '{"id":1}' }, view)
    await call.call('{"command":"order-list","input":{"id":2}}', view)
    expect(view.calls).toEqual([
      ['invoke', 'order-list', { id: 1 }],
      ['invoke', 'order-list', { id: 2 }],
    ])
  })

  it('runs discover and detail itself, so that they can be called even if they are not listed', async () => {
    const view = await viewOf(commands, { metaTools })
    expect(await call.call({ command: 'afd-discover', input: { search: 'create' } }, view)).toMatchObject({
      data: { commands: [{ name: 'order-create' }] },
    })
    expect(await call.call({ command: 'afd-detail', input: { command: 'order-list' } }, view)).toMatchObject({
      data: [{ found: true }],
    })
    expect(await call.call({ command: 'afd-detail' }, view)).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
    expect(view.calls).toEqual([])
  })

  it.each(['afd-call', 'afd-batch', 'afd-pipe'])('refuses to run %s inside afd-call', async (command) => {
    const view = await viewOf(commands)
    expect(await call.call({ command, input: {} }, view)).toMatchObject({
      error: { code: 'BUILTIN_NOT_ALLOWED', message: `'${command}' is a built-in and cannot run inside afd-call` },
    })
    expect(view.calls).toEqual([])
  })

  it('recognizes the tools of the server by its prefix', async () => {
    const renamed = { prefix: 'acme', hasContexts: false }
    const tool = createCall(renamed)
    const view = await viewOf(commands, { metaTools: [createDiscover(renamed)] })
    expect(tool.listed.name).toBe('acme-call')
    expect(await tool.call({ command: 'acme-batch' }, view)).toMatchObject({ error: { code: 'BUILTIN_NOT_ALLOWED' } })
    expect(await tool.call({ command: 'acme-discover' }, view)).toMatchObject({ data: { total: 2 } })
    await tool.call({ command: 'afd-batch' }, view)
    expect(view.calls).toEqual([['invoke', 'afd-batch', {}]])
  })

  it('takes a context if the server has contexts, and keeps it out of the input', async () => {
    const tool = createCall(contextual)
    const view = await viewOf(commands)
    await tool.call({ command: 'order-list', input: { context: 'mine' }, context: 'sales' }, view)
    expect(tool.takesContext).toBe(true)
    expect(view.calls).toEqual([['invoke', 'order-list', { context: 'mine' }]])
  })
})

describe('afd-batch', () => {
  const entries = [{ command: 'order-list' }]

  it('passes the request on without the context that selected the view', async () => {
    const seen = await viewOf(commands)
    await createBatch(contextual).call({ commands: entries, context: 'sales' }, seen)
    await createBatch(plain).call({ commands: entries }, seen)
    await createBatch(contextual).call(undefined, seen)
    expect(seen.calls).toEqual([
      ['batch', '', { commands: entries }],
      ['batch', '', { commands: entries }],
      ['batch', '', {}],
    ])
  })

  it('decodes a request that a model sent as JSON text', async () => {
    const seen = await viewOf(commands)
    await createBatch(contextual).call(JSON.stringify({ commands: entries, context: 'sales' }), seen)
    expect(seen.calls).toEqual([['batch', '', { commands: entries }]])
  })

  it.each([[5], [null], [['sales']], [{}]])(
    'refuses a batch with the context %j as malformed, and runs nothing',
    async (context) => {
      const seen = await viewOf(commands)
      expect(await createBatch(contextual).call({ commands: entries, context }, seen)).toMatchObject({
        error: { code: 'INVALID_BATCH_REQUEST', message: expect.stringContaining("Field 'context': expected string") },
      })
      expect(seen.calls).toEqual([])
    },
  )

  it.each([[null], [5], ['text'], [[]]])('passes %j, which is not an object, to view.batch unchanged', async (args) => {
    for (const environment of [plain, contextual]) {
      const seen = await viewOf(commands)
      await createBatch(environment).call(args, seen)
      expect(seen.calls).toEqual([['batch', '', args]])
    }
  })
})
