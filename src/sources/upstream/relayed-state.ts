// Packs the gateway's state of a call into `requestState`, which a modern client returns in its next request.

import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/parse-json.ts'
import type { Questions } from './questions.ts'

type Fields = Readonly<Record<string, unknown>>

interface Remembered extends Pick<Questions, 'asked' | 'declined'> {
  /** Our own answers to the questions that we declined, if the server asked them together with other questions. */
  readonly answers: Fields
}

const MARK = 'toolcrib-asked.'

/** Wraps the server's state, if any, into ours. It is not signed: a change affects only the call of that client. */
export function packState(serverState: unknown, remembered: Remembered): string {
  const state = typeof serverState === 'string' ? { serverState } : {}
  return `${MARK}${Buffer.from(JSON.stringify({ ...remembered, ...state })).toString('base64url')}`
}

/** True if a state looks like one of ours. A server could send such a state to reset the count of its questions. */
export function isPacked(state: unknown): boolean {
  return typeof state === 'string' && state.startsWith(MARK)
}

/** Splits the client's state into the server's part and ours. A state that is not ours stays unchanged. */
export function unpackState(brought: Fields): { readonly input: Fields; readonly remembered?: Remembered } {
  const { requestState, ...rest } = brought
  const packed = typeof requestState === 'string' && isPacked(requestState) ? parse(requestState) : undefined
  if (packed === undefined) return { input: brought }
  const { serverState, asked, declined, answers } = packed
  const ownAnswers = isRecord(answers) ? answers : {}
  const clientAnswers = isRecord(rest.inputResponses) ? rest.inputResponses : {}
  const inputResponses = { ...clientAnswers, ...ownAnswers }
  return {
    input: {
      ...rest,
      ...(Object.keys(inputResponses).length === 0 ? {} : { inputResponses }),
      ...(typeof serverState === 'string' ? { requestState: serverState } : {}),
    },
    remembered: {
      asked: typeof asked === 'number' ? asked : 0,
      declined: Array.isArray(declined) ? declined.map(String) : [],
      answers: ownAnswers,
    },
  }
}

function parse(requestState: string): Fields | undefined {
  const value = parseJson(Buffer.from(requestState.slice(MARK.length), 'base64url').toString('utf8'))
  return isRecord(value) ? value : undefined
}
