// Checks the questions of a server during one call: adds its name, and declines unsafe or too many questions.

import type { ServerRequest } from '../../core/call.ts'
import { cleanText } from '../../core/clean-text.ts'

export interface QuestionRules {
  /** The configured name of the server, shown in its questions. */
  readonly server: string
  /** Allows the server to request the context of other servers for the client's model. */
  readonly includeContext: boolean
  readonly maxQuestions: number
}

export type Questions = ReturnType<typeof createQuestions>

interface QuestionsOptions {
  /** The questions so far, for a call that continues in another request of its client. */
  readonly begun?: { readonly asked: number; readonly declined: readonly string[] } | undefined
  redact?(text: string): string
  /** Called once per reason. */
  onDecline(reason: string): void
}

export function createQuestions(rules: QuestionRules, { begun, redact, onDecline }: QuestionsOptions) {
  let asked = begun?.asked ?? 0
  const declined = new Set(begun?.declined)

  const decline = (reason: string) => {
    if (declined.has(reason)) return
    declined.add(reason)
    onDecline(reason)
  }
  return {
    /** Returns the request to send to the client, or undefined if it is declined. */
    check(request: ServerRequest): ServerRequest | undefined {
      if (request.method === 'roots/list') return request
      const unsafe = unsafeAddress(request)
      if (unsafe !== undefined) {
        return void decline(`a question with ${unsafe} was declined: only http and https addresses are passed on`)
      }
      if (asked >= rules.maxQuestions) {
        return void decline(
          `questions above the limit of ${rules.maxQuestions} per call were declined (limits.maxQuestions)`,
        )
      }
      asked++
      return toClientRequest(request, rules, redact)
    },
    /** The number of questions that reached the client. */
    get asked() {
      return asked
    },
    /** The reasons of declined questions, one sentence each. */
    get declined(): readonly string[] {
      return [...declined]
    },
  }
}

/** Describes a URL that a client must not be asked to open. */
function unsafeAddress({ method, params }: ServerRequest): string | undefined {
  if (method !== 'elicitation/create' || (params.mode !== 'url' && params.url === undefined)) return undefined
  const { url } = params
  if (typeof url !== 'string' || !URL.canParse(url)) return 'an invalid address'
  const { protocol } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? undefined : `a '${protocol.slice(0, 20)}' address`
}

/** Adds the name of the server to a question for the user, and removes `includeContext` unless it is allowed. */
function toClientRequest(
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

/** Shows invisible characters as escapes, because they can make a name look like that of another server. */
function quoted(name: string): string {
  return JSON.stringify(name).replace(/\p{Cf}/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)
}

/** Removes characters that can hide the server name, and empty lines that move the name off the screen. */
function readable(message: string): string {
  return cleanText(message)
    .replace(/\n(?:[^\S\n]*\n){2,}/g, '\n\n')
    .trimStart()
}
