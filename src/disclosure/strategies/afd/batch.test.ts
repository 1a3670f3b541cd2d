import { describe, expect, it } from 'vitest'
import { commandOf } from '../../../sources/commands/command.fixture.ts'
import { contextual, plain, viewOf } from '../../view.fixture.ts'
import { createBatch } from './batch.ts'

const commands = [{ command: 'order-list' }]
const view = () => viewOf([commandOf('order-list')])

describe('afd-batch', () => {
  it('passes the request on without the context that selected the view', async () => {
    const seen = await view()
    await createBatch(contextual).call({ commands, context: 'sales' }, seen)
    await createBatch(plain).call({ commands }, seen)
    await createBatch(contextual).call(undefined, seen)
    expect(seen.calls).toEqual([
      ['batch', '', { commands }],
      ['batch', '', { commands }],
      ['batch', '', {}],
    ])
  })

  it('decodes a request that a model sent as JSON text', async () => {
    const seen = await view()
    await createBatch(contextual).call(JSON.stringify({ commands, context: 'sales' }), seen)
    expect(seen.calls).toEqual([['batch', '', { commands }]])
  })

  it.each([[5], [null], [['sales']], [{}]])(
    'refuses the context %j as a malformed batch, and runs nothing',
    async (context) => {
      const seen = await view()
      expect(await createBatch(contextual).call({ commands, context }, seen)).toMatchObject({
        error: { code: 'INVALID_BATCH_REQUEST', message: expect.stringContaining("Field 'context': expected string") },
      })
      expect(seen.calls).toEqual([])
    },
  )

  it.each([[null], [5], ['text'], [[]]])(
    'passes %j, which is not an object, on to view.batch unchanged',
    async (args) => {
      for (const environment of [plain, contextual]) {
        const seen = await view()
        await createBatch(environment).call(args, seen)
        expect(seen.calls).toEqual([['batch', '', args]])
      }
    },
  )
})
