import { afterEach, expect, it, vi } from 'vitest'
import { callTool, type ToolCallRequest } from './call-tool.ts'

afterEach(() => vi.unstubAllGlobals())

/** A gateway that asks a question until it gets the answer `cancel`. Returns the answers that it gets. */
function askWithoutEnd(): readonly unknown[] {
  const actions: unknown[] = []
  vi.stubGlobal('sessionStorage', { getItem: () => null })
  vi.stubGlobal('fetch', async (_path: string, { body }: { body: string }) => {
    const { id, params } = JSON.parse(body)
    const action = params.inputResponses?.name.action
    actions.push(action)
    const asking = { resultType: 'input_required', inputRequests: { name: { method: 'elicitation/create' } } }
    return Response.json({ jsonrpc: '2.0', id, result: action === 'cancel' ? {} : asking })
  })
  return actions
}

it('callTool sends each answer of the user, and cancels the questions of a server that asks without end', async () => {
  const actions = askWithoutEnd()
  const answer = vi.fn<ToolCallRequest['answer']>(async () => ({ action: 'accept' }))
  const outcome = await callTool({
    name: 'ask',
    args: {},
    inputSchema: {},
    signal: new AbortController().signal,
    onProgress() {},
    onLog() {},
    answer,
  })
  expect(outcome).toMatchObject({ kind: 'error', message: expect.stringContaining('cancelled') })
  await expect.poll(() => actions.at(-1)).toBe('cancel')
  expect(actions.filter((action) => action === 'accept')).toHaveLength(answer.mock.calls.length)
})
