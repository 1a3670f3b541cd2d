import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { success } from '../core/result.ts'
import { invocationOf } from './batch.fixture.ts'
import { runBatch } from './batch.ts'
import { type ReportProgress, shareProgress } from './bounded-run.ts'
import { runPipe } from './pipe/pipe.ts'

type Report = readonly [done: number, total: number | undefined, message: string | undefined]

function recorder(): { readonly reports: Report[]; readonly progress: ReportProgress } {
  const reports: Report[] = []
  return { reports, progress: (done, total, message) => void reports.push([done, total, message]) }
}

/** Commands that send the progress reports that their input contains, one per turn of the event loop. */
function reportingCommands(progress: ReportProgress) {
  const invocation = invocationOf()
  return {
    ...invocation,
    progress,
    async invoke(_name: string, input: unknown, _signal: AbortSignal, report?: ReportProgress) {
      const { reports } = input as { readonly reports: readonly (readonly [number, number?, string?])[] } // as sent below
      for (const [done, total, message] of reports) {
        await new Promise((resolve) => setImmediate(resolve))
        report?.(done, total, message)
      }
      return success(null)
    },
  }
}

const twice = [
  [1, 2, 'half'],
  [2, 2, 'whole'],
]

describe('progress under one token', () => {
  it('the progress of a pipe is the number of finished steps plus the fraction of the running one', async () => {
    const { reports, progress } = recorder()
    const step = { command: 'talk', input: { reports: twice } }
    await runPipe({ steps: [step, step] }, reportingCommands(progress))
    expect(reports).toEqual([
      [0.5, 2, 'half'],
      [1, 2, 'whole'],
      [1.5, 2, 'half'],
      [2, 2, 'whole'],
    ])
  })

  it('the progress of a batch with parallel commands increases, and counts each command once', async () => {
    const { reports, progress } = recorder()
    const command = { command: 'talk', input: { reports: twice } }
    await runBatch({ commands: [command, command], options: { parallelism: 2 } }, reportingCommands(progress))
    expect(reports.map(([done, total]) => [done, total])).toEqual([
      [0.5, 2],
      [1, 2],
      [1.5, 2],
      [2, 2],
    ])
  })

  it('the progress also counts commands without reports and steps that do not run', async () => {
    const { reports, progress } = recorder()
    const silent = { command: 'talk', input: { reports: [] } }
    await runPipe({ steps: [silent, { ...silent, when: { $eq: ['$prev', 1] } }, silent] }, reportingCommands(progress))
    expect(reports.map(([done, total]) => [done, total])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ])
  })

  it('sends no progress value twice', () => {
    const { reports, progress } = recorder()
    const shared = shareProgress(2, progress)
    const share = shared.start()
    for (const done of [0, 0, 1, 1, 2]) share.report(done, 2)
    share.end()
    shared.finish()
    expect(reports.map(([done]) => done)).toEqual([0, 0.5, 1, 2])
  })

  it('the progress increases with each report, up to the number of commands', async () => {
    const number = fc.oneof(fc.double(), fc.integer({ min: -5, max: 200 }))
    const one = fc.tuple(number, fc.option(number, { nil: undefined }))
    const commands = fc.array(fc.array(one, { maxLength: 5 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(commands, fc.integer({ min: 1, max: 4 }), async (given, parallelism) => {
        const { reports, progress } = recorder()
        const entries = given.map((of) => ({ command: 'talk', input: { reports: of } }))
        await runBatch({ commands: entries, options: { parallelism } }, reportingCommands(progress))
        const values = reports.map(([done]) => done)
        expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b))
        expect(values[0]).toBeGreaterThanOrEqual(0)
        expect(values.at(-1)).toBe(given.length)
      }),
      { numRuns: 50 },
    )
  })

  it('ignores progress reports of a command that has ended', () => {
    const { reports, progress } = recorder()
    const share = shareProgress(2, progress).start()
    share.report(1, 2)
    share.end()
    share.end()
    share.report(2, 2)
    expect(reports).toEqual([
      [0.5, 2, undefined],
      [1, 2, undefined],
    ])
  })
})
