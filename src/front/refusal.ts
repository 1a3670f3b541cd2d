// The response of the HTTP front door to a refused request.

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
