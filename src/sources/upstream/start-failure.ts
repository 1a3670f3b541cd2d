// The errors of a server that could not be started or reached, and texts about them for the user and for the model.

import { UnsetPersonalVariable } from '../../config/people.ts'
import { RefusedVariables, UnsetVariables } from '../../config/prepare-connection.ts'
import { cutLongText, errorCode, messageOf, quoteList } from '../../core/text.ts'
import { LoginRequired } from './auth/login-errors.ts'

export class StartFailure extends Error {
  override readonly name = 'StartFailure'
  readonly reason: string
  readonly stderr: string
  /** The HTTP status with which the server refused the connection. */
  readonly status: number | undefined

  /** `stderr`: the end of the server's output. */
  constructor(reason: string, { stderr = '', cause, status }: StartFailureDetails = {}) {
    super(stderr === '' ? reason : `${reason}; it printed: ${endOfOutput(stderr)}`, { cause })
    this.reason = reason
    this.stderr = stderr
    this.status = status
  }
}

interface StartFailureDetails {
  readonly stderr?: string
  readonly cause?: unknown
  readonly status?: number | undefined
}

/** Another gateway could not start the server. This gateway waits too before it tries. */
export class FailedElsewhere extends Error {
  override readonly name = 'FailedElsewhere'
  readonly waitMs: number
  /** How many starts have failed in a row. */
  readonly failures: number

  constructor(reason: string, waitMs: number, failures: number) {
    super(`another gateway could not reach it: ${reason}`)
    this.waitMs = waitMs
    this.failures = failures
  }
}

/** Finds the StartFailure in a chain of causes. */
export function startFailureIn(error: unknown): StartFailure | undefined {
  if (error instanceof StartFailure) return error
  return error instanceof Error && error.cause !== undefined ? startFailureIn(error.cause) : undefined
}

/** The codes of Node for a certificate that no known authority has signed. */
const UNTRUSTED: ReadonlySet<string | undefined> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** Whether an error in a chain of causes says that the certificate of the server is not trusted. */
export function isUntrusted(error: unknown): boolean {
  return UNTRUSTED.has(errorCode(error)) || (error instanceof Error && isUntrusted(error.cause))
}

/** Returns the result of the work. An error becomes a StartFailure with its message. */
export async function orStartFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new StartFailure(messageOf(error), { cause: error })
  }
}

/** Tells the model which action of the user this server needs before it can start. Undefined if it needs none. */
export function remedyFor(failure: unknown): string | undefined {
  if (failure instanceof LoginRequired) {
    return `tell the user to run \`${failure.command}\`; calling again does not help before that`
  }
  if (failure instanceof UnsetVariables) {
    return `tell the user to set ${quoteList(failure.missing)}, in the environment of the gateway or in its secrets.env; calling again does not help before that`
  }
  if (failure instanceof UnsetPersonalVariable) {
    return 'tell the user to do that; calling again does not help before that'
  }
  if (failure instanceof RefusedVariables) {
    const them = failure.refused.length === 1 ? 'it' : 'them'
    return `tell the user to remove ${quoteList(failure.refused)} from the config or the env file of this server, or to allow ${them} with allowEnv; calling again does not help before that`
  }
  return failure instanceof Error ? remedyFor(failure.cause) : undefined
}

const MAX_LINE_CHARS = 600
/** The words of a line that reports an error. `errors` is not one of them, because of lines such as `0 errors`. */
const ERROR_WORD =
  /\b(?:error|fatal|panic|exception|fail(?:ed|ure)?|cannot|can't|could not|not found|no such|denied|missing|invalid|required|usage)\b/i

/**
 * The message of a stack trace in the output, otherwise the first line that reports an error, otherwise the first line.
 * Undefined for an empty output.
 */
export function errorLineIn(stderr: string): string | undefined {
  const lines = linesOf(stderr)
  const line = thrownIn(lines) ?? lines.find((one) => ERROR_WORD.test(one)) ?? lines[0]
  return line === undefined ? undefined : cutLongText(line.trim(), MAX_LINE_CHARS)
}

/** The error message of a stack trace in the output if it is short enough, otherwise the end of the output. */
function endOfOutput(text: string): string {
  const thrown = thrownIn(linesOf(text))
  if (thrown !== undefined && thrown.length <= MAX_LINE_CHARS) return thrown.trim()
  return text.length <= MAX_LINE_CHARS ? text : `…${text.slice(-MAX_LINE_CHARS)}`
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

/** The line with the message of an error that was printed with its stack trace, by Python or by Node. */
function thrownIn(lines: readonly string[]): string | undefined {
  const traceback = lines.findLastIndex((line) => line.startsWith('Traceback ('))
  if (traceback >= 0) return lines.slice(traceback + 1).find((line) => /^\S/.test(line)) ?? lines.at(-1)
  const frame = lines.findIndex((line) => /^\s+at \S/.test(line))
  const before = lines.slice(0, Math.max(frame, 0))
  // More lines can follow the message, such as the require stack of a missing module.
  return before.findLast((line) => /^\S*(?:Error|Exception)\b/.test(line)) ?? before.at(-1)
}
