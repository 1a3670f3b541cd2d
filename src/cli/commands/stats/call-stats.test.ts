import { expect, it } from 'vitest'
import { summarizeCalls } from './call-stats.ts'

async function* recordsOf(...outcomes: readonly string[]) {
  for (const outcome of outcomes) yield { event: 'call', server: '', tool: 'find_text', outcome, durationMs: 1 }
}

it('counts a call of a name that several servers have as a call of an unknown name, and not for a server', async () => {
  const { unknownNames, byServer, byTool } = await summarizeCalls(recordsOf('TOOL_NOT_FOUND', 'TOOL_AMBIGUOUS'))
  expect(unknownNames).toMatchObject({ calls: 2, errors: 2 })
  expect([byServer, byTool]).toEqual([[], []])
})
