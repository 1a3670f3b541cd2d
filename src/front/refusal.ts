// The responses of the HTTP front door to refused requests: JSON-RPC errors with an HTTP status.

import { type ErrorCode, type ErrorData, errorOf, errors } from '../core/errors.ts'

/** A refusal with one of our error codes. */
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

/** A refusal with only the error code of JSON-RPC, for an invalid request or an internal error. */
export function protocolError(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers })
}
