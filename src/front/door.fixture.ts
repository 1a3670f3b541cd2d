// Test fixture: commands behind a real HTTP door on a free port, with access to its errors, events and listeners.

import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { CommandContext, ContextDefinition } from '../core/call.ts'
import { type CommandResult, success } from '../core/result.ts'
import { atMost } from '../core/waiting.ts'
import { type Crib, createCrib } from '../crib/crib.ts'
import { defaultMiddleware } from '../dispatch/middleware/defaults.ts'
import { createContextCommands } from '../sources/commands/builtin-commands.ts'
import { type CommandSet, createCommandSet, createCommandSource } from '../sources/commands/command-set.ts'
import { type Command, defineCommand } from '../sources/commands/define.ts'
import { createActivity } from './activity.ts'
import type { FrontOptions, ToolCallEvent } from './front-options.ts'
import { type HttpOptions, serveHttp } from './http.ts'

export interface TestFront extends FrontOptions {
  readonly commands: CommandSet
  /** The errors that were reported to the operator. */
  readonly errors: readonly Error[]
  readonly events: readonly ToolCallEvent[]
  /** The current number of list_changed listeners: one per connection, legacy session or group of subscribers. */
  readonly listeners: number
  /** The sessions that were ended in the crib. */
  readonly ended: readonly string[]
}

export interface FrontParts {
  readonly commands?: readonly Command[]
  readonly contexts?: readonly ContextDefinition[]
  readonly strategy?: string
  readonly strategyOptions?: object
}

export function createFront(parts: FrontParts = {}): TestFront {
  const { commands = [], contexts = [], strategy = 'individual', strategyOptions } = parts
  const set = createCommandSet([echo, ...commands, ...(contexts.length > 0 ? createContextCommands('afd') : [])])
  const inner = createCrib({
    about: { name: 'test', version: '1.0.0' },
    sources: [createCommandSource({ id: 'commands', commands: set })],
    strategy,
    strategyOptions,
    contexts,
    calls: { middleware: defaultMiddleware() },
  })
  const errors: Error[] = []
  const events: ToolCallEvent[] = []
  const ended: string[] = []
  const listening = new Set<symbol>()
  const crib: Crib = {
    ...inner,
    onListChanged(caller, listener) {
      const key = Symbol('listener')
      const stop = inner.onListChanged(caller, listener)
      listening.add(key)
      return () => {
        listening.delete(key)
        stop()
      }
    },
    async endSession(sessionId) {
      ended.push(sessionId)
      await inner.endSession(sessionId)
    },
  }
  return {
    commands: set,
    crib,
    activity: createActivity(),
    onError: (error) => void errors.push(error),
    onToolCall: (event) => void events.push(event),
    errors,
    events,
    ended,
    get listeners() {
      return listening.size
    },
  }
}

interface TestDoor {
  readonly front: TestFront
  readonly port: number
  close(graceMs?: number): Promise<void>
}

type DoorOptions = FrontParts & Partial<Omit<HttpOptions, keyof FrontOptions>>

/** The door is closed without a grace period when the test ends. */
export async function openDoor(given: DoorOptions = {}): Promise<TestDoor> {
  const { commands, contexts, strategy, strategyOptions, ...options } = given
  const front = createFront(given)
  const { crib, activity, onError, onToolCall } = front
  const door = await serveHttp({ host: '127.0.0.1', port: 0, crib, activity, onError, onToolCall, ...options })
  onTestFinished(() => door.close(0))
  return { front, port: door.port, close: (graceMs = 0) => door.close(graceMs) }
}

export const echo = defineCommand({
  name: 'text-echo',
  description: 'Give back what was sent.',
  input: z.looseObject({}),
  handler: (input) => success(input),
})

/** A command with the result that the test returns from `give`. */
export function commandReturning(name: string, give: (context: CommandContext) => unknown): Command {
  return defineCommand({
    name,
    description: 'Give what the test wants.',
    input: z.looseObject({}),
    // Deliberately unchecked: invalid results are tested too.
    handler: (_input, context) => give(context) as CommandResult,
  })
}

interface HeldCall {
  readonly input: Readonly<Record<string, unknown>>
  readonly context: CommandContext
  /** Resolves when the signal of the call aborts. */
  readonly aborted: Promise<void>
  finish(result?: CommandResult): void
}

interface Holding {
  readonly command: Command
  /** All calls of the command so far. */
  readonly seen: readonly HeldCall[]
  /** The next call that the test has not taken yet. Waits for it if necessary. */
  next(): Promise<HeldCall>
}

/** A command that runs until the test finishes it. */
export function createHolding(name = 'job-hold'): Holding {
  const seen: HeldCall[] = []
  const waiting: ((call: HeldCall) => void)[] = []
  let takenCount = 0
  const command = defineCommand({
    name,
    description: 'Stay open until the test says so.',
    input: z.looseObject({}),
    executionTime: 'long-running',
    handler: (input, context) =>
      new Promise<CommandResult>((resolve) => {
        const aborted = new Promise<void>((stop) => {
          if (context.signal.aborted) stop()
          context.signal.addEventListener('abort', () => stop(), { once: true })
        })
        const call = { input, context, aborted, finish: (result = success(input)) => resolve(result) }
        seen.push(call)
        const taker = waiting.shift()
        if (taker === undefined) return
        takenCount++
        taker(call)
      }),
  })
  return {
    command,
    seen,
    next() {
      const call = seen[takenCount]
      if (call === undefined) return new Promise((resolve) => waiting.push(resolve))
      takenCount++
      return Promise.resolve(call)
    },
  }
}

/** Polls a condition that has no event. The error names the condition. */
export async function until(claim: string, isTrue: () => boolean | Promise<boolean>, withinMs = 5_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${claim}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The value of the promise, or an error that names what did not happen in time. */
export async function within<T>(withinMs: number, claim: string, promise: Promise<T>): Promise<T> {
  if (await atMost(withinMs, promise)) return promise
  throw new Error(`Not within ${withinMs} ms: ${claim}`)
}

interface Waits {
  /** Resolves with the first value that `find` returns. Rejects with the claim if `end` is called before. */
  wait<T>(claim: string, find: () => T | undefined): Promise<T>
  /** Call it when more text or another message has arrived. */
  check(): void
  /** Call it when nothing more can arrive. */
  end(): void
}

/** Waits for texts and messages that arrive over time. `received` is shown in errors. */
export function createWaits(received: () => string): Waits {
  const checks = new Set<() => void>()
  let isOver = false
  const checkAll = () => {
    for (const check of checks) check()
  }
  return {
    wait: <T>(claim: string, find: () => T | undefined) =>
      new Promise<T>((resolve, reject) => {
        const check = () => {
          const found = find()
          if (found === undefined && !isOver) return
          checks.delete(check)
          if (found !== undefined) resolve(found)
          else reject(new Error(`It ended before ${claim}: ${received().slice(-2_000)}`))
        }
        checks.add(check)
        check()
      }),
    check: checkAll,
    end() {
      isOver = true
      checkAll()
    },
  }
}
