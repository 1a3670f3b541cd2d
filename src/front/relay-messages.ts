// Messages between two gateways about a call that one of them holds. They come from outside, so they are parsed.

import { z } from 'zod'
import type { LogLevel, ServerRequest } from '../core/call.ts'
import { isRecord } from '../core/is-record.ts'
import { type CommandResult, isCommandResult } from '../core/result.ts'

const id = z.string()
const fields = z.custom<Readonly<Record<string, unknown>>>(isRecord)

const requestSchema = z.object({
  kind: z.literal('resume'),
  id,
  /** The gateway that has received the request. It gets the replies. */
  from: z.string(),
  /** As sent by the client. */
  requestState: z.string(),
  name: z.string(),
  args: z.unknown(),
  answers: fields.optional(),
  capabilities: fields.optional(),
  principal: z.string(),
  /** The rights of the caller as text. */
  rights: z.string(),
  hasProgress: z.boolean(),
  hasLogs: z.boolean(),
})

const replySchema = z.discriminatedUnion('kind', [
  z.object({ id, kind: z.enum(['refused', 'accepted', 'alive', 'list-changed']) }),
  z.object({
    id,
    kind: z.literal('log'),
    // The gateway that sent the reply has taken the level from a checked message.
    level: z.custom<LogLevel>((level) => typeof level === 'string'),
    data: z.unknown(),
    logger: z.string().optional(),
  }),
  z.object({
    id,
    kind: z.literal('progress'),
    done: z.number(),
    total: z.number().optional(),
    message: z.string().optional(),
  }),
  z.object({
    id,
    kind: z.literal('asked'),
    // The questions are those of a server. The SDK and the client check them.
    questions: z.custom<Readonly<Record<string, ServerRequest>>>(isRecord),
    requestState: z.string(),
  }),
  z.object({ id, kind: z.literal('answered'), result: z.custom<CommandResult>(isCommandResult) }),
])

/** A request with the answers of a client, passed on by a gateway that does not hold the call. */
export type RelayedRequest = z.infer<typeof requestSchema>

export type RelayMessage =
  | RelayedRequest
  /** The client has cancelled its request. */
  | { readonly id: string; readonly kind: 'cancel' }
  /** Asks whether the call still runs. */
  | { readonly id: string; readonly kind: 'check'; readonly from: string }

export type RelayReply = z.infer<typeof replySchema>

/** Undefined for other messages. */
export function parseRequest(message: unknown): RelayedRequest | undefined {
  return requestSchema.safeParse(message).data
}

/** Undefined for other messages. */
export function parseReply(message: unknown): RelayReply | undefined {
  return replySchema.safeParse(message).data
}
