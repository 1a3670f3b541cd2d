// A request of a client to a server, and the call in flight that gets the progress, logs and questions of the server.

import type { Caller, CommandContext, LogLevel, Optional } from '../../core/call.ts'
import { isRecord } from '../../core/is-record.ts'
import type { StopSignal } from '../../core/stop-signal.ts'
import type { JsonSchema } from '../../core/tool.ts'
import type { Clock } from './clock.ts'
import type { Questions } from './questions.ts'

/** The parts of a client's call that a request to a server needs. */
export interface ClientCall
  extends Optional<Pick<CommandContext, 'progress' | 'log' | 'logLevel' | 'trace' | 'onServerRequest' | 'relay'>> {
  readonly caller: Caller
}

export interface CallRequest {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** The input schema of the called tool. */
  readonly inputSchema?: JsonSchema | undefined
  /** The call as the dispatcher handed it over. Its signal is not used: reading it creates an AbortSignal. */
  readonly call: ClientCall
  readonly signal: StopSignal
  /** Identifies the client. Calls of the same legacy client have the same value; every other call has its own. */
  readonly client: string
  readonly timeoutMs: number
  readonly maxMs: number
}

/** A call in flight, with the functions that pass messages of the server to its client. */
export type PendingCall = Omit<SessionCall, 'declined'>

/** A class, because every call creates one, and functions on the prototype are created only once. */
export class SessionCall {
  /** The progress token of the request to the server. */
  readonly token: string
  /** See CallRequest. */
  readonly client: string
  /** Sends a request to the client. Undefined if the client cannot answer requests. */
  readonly ask: ClientCall['onServerRequest']
  readonly #call: ClientCall
  readonly #clock: Clock
  readonly #makeQuestions: () => Questions
  #questions: Questions | undefined

  constructor({ call, client }: CallRequest, clock: Clock, token: string, makeQuestions: () => Questions) {
    this.token = token
    this.client = client
    this.ask = call.onServerRequest
    this.#call = call
    this.#clock = clock
    this.#makeQuestions = makeQuestions
  }

  get signal(): StopSignal {
    return this.#clock.signal
  }

  /** True if the client can be asked for its roots. */
  get hasRoots(): boolean {
    return this.ask !== undefined && isRecord(this.#call.caller.capabilities?.roots)
  }

  /** The reasons of declined questions. Undefined if the server has asked no question. */
  get declined(): readonly string[] | undefined {
    return this.#questions?.declined
  }

  /** Checks and counts the requests of the server. Created at the first question, because most servers do not ask. */
  questions(): Questions {
    this.#questions ??= this.#makeQuestions()
    return this.#questions
  }

  /** Pauses the timeout of the call while its client answers. Returns the function that ends the pause. */
  pause(): () => void {
    return this.#clock.pause()
  }

  log(level: string, data: unknown, logger?: string): void {
    // The levels of the protocol are the same as ours.
    this.#call.log?.(level as LogLevel, data, logger)
  }

  progress(done: number, total?: number, message?: string): void {
    this.#clock.touch()
    this.#call.progress?.(done, total, message)
  }
}
