// Test fixture for batch and pipe: commands that are plain async functions, and a log of their calls.

import { fail } from '../core/errors.ts'
import { type CommandResult, failure, success } from '../core/result.ts'
import { abortSignalOf } from '../core/stop-signal.ts'
import type { Invocation } from './bounded-run.ts'

interface TestInput {
  readonly n: number
  readonly ms: number
  readonly value: unknown
  readonly data: string
}

type TestCommand = (input: TestInput, signal: AbortSignal) => Promise<CommandResult>

interface TestInvocation extends Invocation {
  /** The command and the input of every call, in order. */
  readonly calls: readonly (readonly [name: string, input: unknown])[]
  cancel(): void
}

const common: Readonly<Record<string, TestCommand>> = {
  echo: async (input) => success(input),
  give: async ({ value }) => success(value),
  double: async ({ n }) => success({ n: n * 2 }),
  break: async () => failure({ code: 'BROKEN', message: 'It broke' }),
  wait: ({ ms, ...rest }) => new Promise((resolve) => setTimeout(() => resolve(success({ ms, ...rest })), ms)),
  /** Never ends and ignores its signal. */
  hang: () => new Promise(() => {}),
  /** Ends on abort with its own failure. */
  heed: (_input, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(failure({ code: 'OWN', message: 'Stopped' })))
    }),
}

export function invocationOf(commands: Readonly<Record<string, TestCommand>> = {}): TestInvocation {
  const all: Readonly<Record<string, TestCommand>> = { ...common, ...commands }
  const calls: [string, unknown][] = []
  const controller = new AbortController()
  return {
    calls,
    signal: controller.signal,
    cancel: () => controller.abort(),
    isBuiltin: (name) => name.startsWith('afd-'),
    async invoke(name, input, signal) {
      calls.push([name, input])
      const command = all[name]
      if (command === undefined) return fail('COMMAND_NOT_FOUND', { name, similar: [], discover: 'afd-discover' })
      return command(input as TestInput, abortSignalOf(signal)) // each test passes the fields that its command reads
    },
  }
}
