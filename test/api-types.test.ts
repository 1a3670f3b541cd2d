// The types of the public API, as an editor shows them. `npm run types` checks them; the tests run the same code.

import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type BatchEntryResult,
  type BatchOutcome,
  type CommandError,
  type CommandResult,
  failure,
  isFailure,
  isSuccess,
  type PipeOutcome,
  success,
} from '../src/index.ts'

describe('a result', () => {
  const found = success({ id: 7 }) as CommandResult<{ id: number }>
  const missing = failure({ code: 'GONE', message: 'No such order' }) as CommandResult<{ id: number }>

  it('is narrowed by its success to its data or to its error', () => {
    for (const result of [found, missing]) {
      if (result.success) expectTypeOf(result.data).toEqualTypeOf<{ id: number }>()
      else expectTypeOf(result.error).toEqualTypeOf<CommandError>()
    }
    expect(found.success && found.data.id).toBe(7)
    expect(missing.success || missing.error.code).toBe('GONE')
  })

  it('is narrowed by isSuccess and isFailure too', () => {
    if (isSuccess(found)) expectTypeOf(found.data).toEqualTypeOf<{ id: number }>()
    else expectTypeOf(found.error).toEqualTypeOf<CommandError>()
    if (isFailure(missing)) expectTypeOf(missing.error).toEqualTypeOf<CommandError>()
    else expectTypeOf(missing.data).toEqualTypeOf<{ id: number }>()
    expect([isSuccess(found), isFailure(missing)]).toEqual([true, true])
  })

  it('can be read before it is narrowed: the data and the error may be undefined', () => {
    expectTypeOf(found.data?.id).toEqualTypeOf<number | undefined>()
    expectTypeOf(missing.error?.code).toEqualTypeOf<string | undefined>()
    expect([found.data?.id, missing.error?.code]).toEqual([7, 'GONE'])
  })

  it('has data only if it is a success', () => {
    // @ts-expect-error: a success has data
    const empty: CommandResult<string> = { success: true }
    // @ts-expect-error: a failure has an error
    const mute: CommandResult<string> = { success: false }
    expect([empty.data, mute.error]).toEqual([undefined, undefined])
  })

  it('of a batch or a pipe is narrowed in the same way', () => {
    const outcomes = (batch: BatchOutcome, pipe: PipeOutcome) => {
      if (batch.success) expectTypeOf(batch.results).toEqualTypeOf<readonly BatchEntryResult[]>()
      else expectTypeOf(batch.error).toEqualTypeOf<CommandError>()
      if (pipe.success) expectTypeOf(pipe.metadata.completedSteps).toEqualTypeOf<number>()
      else expectTypeOf(pipe.error).toEqualTypeOf<CommandError>()
      return [batch.success, pipe.success]
    }
    const refused = failure({ code: 'INVALID_BATCH_REQUEST', message: 'No commands' })
    expect(outcomes(refused, refused)).toEqual([false, false])
  })
})
