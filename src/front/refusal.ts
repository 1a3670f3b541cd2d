// The responses of the HTTP front door to requests that it refuses.

import { type ErrorCode, type ErrorData, errorOf, errors } from '../core/errors.ts'

export function refusal<C extends ErrorCode>(
  status: number,
  code: C,
  data: ErrorData<C>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { message, suggestion } = errorOf(code, data)
  const error = { code: errors[code].rpc, message, data: { code, suggestion } }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers })
}

/** A refusal without a code of ours, for a request that is not valid. */
export function protocolError(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers })
}
