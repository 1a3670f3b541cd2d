// The questions that a server asks during one call: each names its server, and only those that are safe reach a client.

import type { ServerConfig } from '../../config/server-config.ts'
import type { ServerRequest } from '../../core/call.ts'

export interface QuestionRules {
  /** The configured name of the server, which its questions carry. */
  readonly server: string
  /** Whether the server may ask that the client's model sees the context of other servers. */
  readonly includeContext: boolean
  /** How many questions a server may ask in one call. */
  readonly maxQuestions: number
}

export interface Questions {
  /** The request as it reaches the client; undefined if it is declined. */
  vet(request: ServerRequest): ServerRequest | undefined
  /** How many questions have reached the client. */
  readonly asked: number
  /** The declined questions, one sentence for each reason. */
  readonly declined: readonly string[]
}

export interface QuestionsOptions {
  /** For a call that goes on in another request of its client. */
  readonly begun?: Pick<Questions, 'asked' | 'declined'> | undefined
  /** Takes the server's secrets out of a message. */
  redact?(text: string): string
  /** Told once for each reason. */
  onDecline(reason: string): void
}

export function questionRulesFor(
  { name: server, includeContext = false }: Pick<ServerConfig, 'name' | 'includeContext'>,
  { maxQuestions }: Pick<QuestionRules, 'maxQuestions'>,
): QuestionRules {
  return { server, includeContext, maxQuestions }
}

export function createQuestions(rules: QuestionRules, { begun, redact, onDecline }: QuestionsOptions): Questions {
  let asked = begun?.asked ?? 0
  const declined = new Set(begun?.declined)

  const decline = (reason: string) => {
    if (declined.has(reason)) return
    declined.add(reason)
    onDecline(reason)
  }
  return {
    vet(request) {
      if (request.method === 'roots/list') return request
      const unsafe = unsafeAddress(request)
      if (unsafe !== undefined) {
        return void decline(`a question with ${unsafe} was declined: only http and https addresses are passed on`)
      }
      if (asked >= rules.maxQuestions) {
        return void decline(`more than ${rules.maxQuestions} questions in one call were declined (limits.maxQuestions)`)
      }
      asked++
      return signed(request, rules, redact)
    },
    get asked() {
      return asked
    },
    get declined() {
      return [...declined]
    },
  }
}

/** Describes an address that a client must not be asked to open. */
function unsafeAddress({ method, params }: ServerRequest): string | undefined {
  if (method !== 'elicitation/create' || (params.mode !== 'url' && params.url === undefined)) return undefined
  const { url } = params
  if (typeof url !== 'string' || !URL.canParse(url)) return 'an address that is no URL'
  const { protocol } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? undefined : `a '${protocol.slice(0, 20)}' address`
}

function signed(
  { method, params }: ServerRequest,
  { server, includeContext }: QuestionRules,
  redact: (text: string) => string = (text) => text,
): ServerRequest {
  if (method === 'elicitation/create') {
    const message = typeof params.message === 'string' ? redact(readable(params.message)) : ''
    return { method, params: { ...params, message: `[server ${quoted(server)}] ${message}`.trimEnd() } }
  }
  if (includeContext || params.includeContext === undefined) return { method, params }
  const { includeContext: _context, ...rest } = params
  return { method, params: rest }
}

/** Invisible characters of a name are shown, because they can make it look like the name of another server. */
function quoted(name: string): string {
  return JSON.stringify(name).replace(/\p{Cf}/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)
}

/**
 * Nothing in the text may hide the name before it: no control characters or changes of direction, and no rows of empty
 * lines that push it off the screen.
 */
function readable(message: string): string {
  return message
    .replace(/[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .replace(/[\u2028\u2029]/g, '\n')
    .replace(/\n(?:[^\S\n]*\n){2,}/g, '\n\n')
    .trimStart()
}
