import { describe, expect, it } from 'vitest'
import { success } from '../../core/result.ts'
import { invocationOf } from '../batch.fixture.ts'
import type { Invocation } from '../bounded-run.ts'
import { type PipeResult, runPipe } from './pipe.ts'

async function pipe(request: unknown, invocation: Invocation): Promise<PipeResult> {
  const result = await runPipe(request, invocation)
  if (!('steps' in result)) throw new Error(result.error.message)
  return result
}

describe('reportPipe', () => {
  it('gives a pipe the lowest confidence of its steps, and lists the reasoning and warnings of each step with its index', async () => {
    const invocation = invocationOf({
      think: async () =>
        success('a', {
          confidence: 0.6,
          reasoning: 'Guessed',
          warnings: [{ code: 'OLD', message: 'Old data' }],
          sources: [{ title: 'Book' }],
          alternatives: [{ data: 'b', reason: 'Close' }],
          plan: [{ action: 'look' }],
          metadata: { executionTimeMs: 12, commandVersion: '2.0.0' },
        }),
      sure: async () => success('c', { confidence: 0.9 }),
    })
    const { metadata, steps } = await pipe(
      { steps: [{ command: 'echo' }, { command: 'think' }, { command: 'sure' }] },
      invocation,
    )
    expect(metadata).toMatchObject({
      confidence: 0.6,
      reasoning: [{ stepIndex: 1, command: 'think', reasoning: 'Guessed' }],
      warnings: [{ code: 'OLD', message: 'Old data', stepIndex: 1 }],
      sources: [{ title: 'Book', stepIndex: 1 }],
      alternatives: [{ data: 'b', reason: 'Close', stepIndex: 1 }],
    })
    expect(metadata.confidenceBreakdown).toEqual([
      { step: 0, command: 'echo', confidence: 1 },
      { step: 1, command: 'think', confidence: 0.6, reasoning: 'Guessed' },
      { step: 2, command: 'sure', confidence: 0.9 },
    ])
    expect(steps.map((step) => step.metadata)).toEqual([
      undefined,
      { confidence: 0.6, reasoning: 'Guessed', plan: [{ action: 'look' }], commandVersion: '2.0.0' },
      { confidence: 0.9 },
    ])
    expect(steps[0]).not.toHaveProperty('metadata')
  })

  it('ignores result extras of the wrong type', async () => {
    const odd = {
      success: true,
      data: 1,
      confidence: 'high',
      warnings: 'none',
      sources: [null, 'book'],
      metadata: null,
    }
    const invocation = invocationOf({ odd: async () => JSON.parse(JSON.stringify(odd)) })
    const result = await pipe({ steps: [{ command: 'odd' }] }, invocation)
    expect(result).toMatchObject({ success: true, data: 1, metadata: { confidence: 1, warnings: [], sources: [] } })
  })

  it('gives a failed pipe an error even if the failed command returned none', async () => {
    const result = await pipe(
      { steps: [{ command: 'mute' }] },
      invocationOf({ mute: async () => JSON.parse('{"success":false}') }),
    )
    expect(result.error).toMatchObject({ code: 'INVALID_RESULT', details: { step: 0 } })
  })

  it('moves content blocks out of the steps', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const
    const draw = async () => success('drawn', { content: [image] })
    const result = await pipe(
      { steps: [{ command: 'draw' }, { command: 'echo' }, { command: 'draw' }] },
      invocationOf({ draw }),
    )
    expect(result.content).toEqual([image, image])
    expect(JSON.stringify([result.steps, result.data, result.metadata])).not.toContain('AAAA')
  })
})
