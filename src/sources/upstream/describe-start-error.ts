// Explains an error of the SDK's client at the start of a server.

import { SdkError, SdkErrorCode, SdkHttpError, SseError, UnauthorizedError } from '@modelcontextprotocol/client'
import { describeNetworkError, redirectIn } from './call-outcome.ts'

export function describeStartError(error: unknown): string {
  const status = statusOf(error)
  if (status === 401 || error instanceof UnauthorizedError)
    return 'it requires an authorization that its config does not have (HTTP 401)'
  if (status === 403) return 'it denies access (HTTP 403)'
  if (status !== undefined) return `it answered with HTTP ${status}${error instanceof Error ? redirectIn(error) : ''}`
  // The SDK wraps network errors in its own message.
  if (error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed && error.cause instanceof Error) {
    return describeNetworkError(error.cause)
  }
  return describeNetworkError(error)
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status
  return error instanceof SseError ? error.code : undefined
}
