// For the tests of the front doors: commands behind a real HTTP door on a free port, and what happens behind it.

import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { CommandContext, ContextDefinition } from '../core/call.ts'
import { type CommandResult, success } from '../core/result.ts'
import { type Crib, createCrib } from '../crib/crib.ts'
import { defaultMiddleware } from '../dispatch/middleware/defaults.ts'
import { type CommandSet, createCommandSet } from '../sources/commands/command-set.ts'
import { createCommandSource } from '../sources/commands/command-source.ts'
import { createContextCommands } from '../sources/commands/contexts.ts'
import { type Command, defineCommand } from '../sources/commands/define.ts'
import { createActivity } from './activity.ts'
import { type HttpOptions, serveHttp } from './http.ts'
import type { FrontOptions, ToolCallEvent } from './protocol-server.ts'

export interface TestFront extends FrontOptions {
  readonly commands: CommandSet
  /** What the operator was told. */
  readonly errors: readonly Error[]
  readonly events: readonly ToolCallEvent[]
  /** Who listens for a changed list now: one for each legacy session or connection, and for each principal that subscribed. */
  readonly listeners: number
  /** Sessions that the crib was told have ended. */
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
    name: 'test',
    version: '1.0.0',
    sources: [createCommandSource({ id: 'commands', commands: set })],
    strategy,
    strategyOptions,
    contexts,
    middleware: defaultMiddleware(),
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

export interface TestDoor {
  readonly front: TestFront
  readonly port: number
  close(graceMs?: number): Promise<void>
}

type DoorOptions = FrontParts & Partial<Omit<HttpOptions, keyof FrontOptions>>

/** Closed without grace when the test ends, whatever became of it. */
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

/** A command that gives what the test wants. */
export function giving(name: string, give: (context: CommandContext) => unknown): Command {
  return defineCommand({
    name,
    description: 'Give what the test wants.',
    input: z.looseObject({}),
    // Deliberately unchecked: what a handler must not return is tested too.
    handler: (_input, context) => give(context) as CommandResult,
  })
}

export interface HeldCall {
  readonly input: Readonly<Record<string, unknown>>
  readonly context: CommandContext
  /** Resolves when the call's signal aborts. */
  readonly aborted: Promise<void>
  finish(result?: CommandResult): void
}

export interface Holding {
  readonly command: Command
  readonly seen: readonly HeldCall[]
  /** The next call to arrive, or one that has arrived and was not asked for yet. */
  next(): Promise<HeldCall>
}

/** A command whose calls stay open until the test finishes them. */
export function createHolding(name = 'job-hold'): Holding {
  const seen: HeldCall[] = []
  const waiting: ((call: HeldCall) => void)[] = []
  let given = 0
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
        given++
        taker(call)
      }),
  })
  return {
    command,
    seen,
    next() {
      const call = seen[given]
      if (call === undefined) return new Promise((resolve) => waiting.push(resolve))
      given++
      return Promise.resolve(call)
    },
  }
}

/** For what announces itself by no event: looks again until it is so, and says what it waited for if it never is. */
export async function until(claim: string, isSo: () => boolean | Promise<boolean>, withinMs = 5_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${claim}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The promise's value, or an error that says what did not happen in time. */
export async function within<T>(withinMs: number, claim: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Not within ${withinMs} ms: ${claim}`)), withinMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
