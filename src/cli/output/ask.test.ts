import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished, vi } from 'vitest'
import { readEnvironment } from '../../setup/environment.ts'
import { confirm, createAsker } from './ask.ts'
import { createOutput } from './output.ts'
import { readTerminal } from './terminal.ts'

/** Replaces stdin and stderr by a terminal. */
function fakeTerminal() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} })
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never)
  vi.spyOn(process, 'stderr', 'get').mockReturnValue(stderr as never)
  onTestFinished(() => void vi.restoreAllMocks())
  return stdin
}

it('Ctrl-C at a question reaches the listeners of this process without a signal of the system, which Windows does not have', async () => {
  const stdin = fakeTerminal()
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  const interruption = new AbortController()
  const interrupt = () => interruption.abort(new Error('interrupted'))
  process.once('SIGINT', interrupt)
  onTestFinished(() => void process.off('SIGINT', interrupt))
  const asker = createAsker()
  onTestFinished(() => asker.close())
  const answer = asker.ask('Your name? ', interruption.signal)
  stdin.write('\u0003')
  await expect(answer).rejects.toThrow('interrupted')
  expect(kill).not.toHaveBeenCalled()
})

it.each([
  [{ json: false }, false, 'Nothing was changed: you did not confirm.'],
  [{ json: true }, false, 'Nothing was changed: you did not confirm'],
  [{ json: false }, true, 'This change was not made: you did not confirm.'],
  [{ json: true }, true, 'This change was not made: you did not confirm'],
])(
  'with %o, the text after a decline depends on whether the command has changed something before: %s',
  async (flags, hasChanged, text) => {
    const stdin = fakeTerminal()
    const notes: string[] = []
    const sinks = { out() {}, err: (line: string) => void notes.push(line) }
    const output = createOutput(flags, readTerminal(process, { NO_COLOR: '1' }), { sinks })
    const work = { environment: readEnvironment(), flags, output, signal: new AbortController().signal }
    const answer = confirm(work, {}, [], { question: 'Use b.json in this folder?', hasChanged })
    stdin.write('n\n')
    if (flags.json) await expect(answer).rejects.toThrow(text)
    else expect([await answer, ...notes]).toEqual([false, `${text}\n`])
  },
)
