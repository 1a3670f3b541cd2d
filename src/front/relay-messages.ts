// Messages between two gateways about a call that one of them holds. They come from outside, so they are parsed.

import type { LogLevel, ServerRequest } from '../core/call.ts'
import { isRecord } from '../core/is-record.ts'
import { type CommandResult, isCommandResult } from '../core/result.ts'

type Fields = Readonly<Record<string, unknown>>

/** The request of a client that returns with its answers, but not to the gateway that holds the call. */
export interface RelayedRequest {
  readonly id: string
  /** The gateway that has received the request. It gets the replies. */
  readonly from: string
  readonly token: string
  readonly name: string
  readonly args: unknown
  readonly answers: Fields | undefined
  readonly capabilities: Fields | undefined
  readonly principal: string
  /** The rights of the caller as text. */
  readonly rights: string
  readonly hasProgress: boolean
  readonly hasLogs: boolean
}

export type RelayMessage =
  | (RelayedRequest & { readonly kind: 'resume' })
  /** The client has cancelled its request. */
  | { readonly id: string; readonly kind: 'cancel' }
  /** Asks whether the call still runs. */
  | { readonly id: string; readonly kind: 'check'; readonly from: string }

export type RelayReply = { readonly id: string } & (
  | { readonly kind: 'refused' | 'accepted' | 'alive' | 'list-changed' }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly data: unknown; readonly logger: string | undefined }
  | {
      readonly kind: 'progress'
      readonly done: number
      readonly total?: number | undefined
      readonly message?: string | undefined
    }
  | {
      readonly kind: 'asked'
      readonly questions: Readonly<Record<string, ServerRequest>>
      readonly requestState: string
    }
  | { readonly kind: 'answered'; readonly result: CommandResult }
)

export function parseRequest(message: unknown): RelayedRequest | undefined {
  if (!isRecord(message) || message.kind !== 'resume') return undefined
  const { id, from, token, name, args, answers, capabilities, principal, rights, hasProgress, hasLogs } = message
  if (typeof id !== 'string' || typeof from !== 'string' || typeof token !== 'string') return undefined
  if (typeof name !== 'string' || typeof principal !== 'string' || typeof rights !== 'string') return undefined
  return {
    id,
    from,
    token,
    name,
    args,
    answers: isRecord(answers) ? answers : undefined,
    capabilities: isRecord(capabilities) ? capabilities : undefined,
    principal,
    rights,
    hasProgress: hasProgress === true,
    hasLogs: hasLogs === true,
  }
}

/** The kinds of replies without further fields. */
const PLAIN_KINDS: readonly unknown[] = ['refused', 'accepted', 'alive', 'list-changed']

export function parseReply(message: unknown): RelayReply | undefined {
  if (!isRecord(message) || typeof message.id !== 'string') return undefined
  const { id, kind, level, data, logger, done, total, message: text, questions, requestState, result } = message
  // All of these kinds have the same type.
  if (PLAIN_KINDS.includes(kind)) return { id, kind: kind as 'accepted' }
  if (kind === 'log' && typeof level === 'string')
    // The gateway that sent the reply has taken the level from a checked message.
    return { id, kind, level: level as LogLevel, data, logger: textOf(logger) }
  if (kind === 'progress' && typeof done === 'number')
    return { id, kind, done, total: typeof total === 'number' ? total : undefined, message: textOf(text) }
  if (kind === 'asked' && isRecord(questions) && typeof requestState === 'string')
    // The questions are those of a server. The SDK and the client check them.
    return { id, kind, questions: questions as Readonly<Record<string, ServerRequest>>, requestState }
  return kind === 'answered' && isCommandResult(result) ? { id, kind, result } : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
