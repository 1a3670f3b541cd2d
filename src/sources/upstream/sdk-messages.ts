// The errors of the SDK that only their message identifies. A test provokes each of them, to notice a changed message.

/** Whether a request was made without a connection. This error has no code, unlike `SdkErrorCode.NotConnected`. */
export function isNotConnected({ message }: Error): boolean {
  return message === 'Not connected'
}

/**
 * The text of the SDK about a redirect that it did not follow, in parentheses. Empty without such a redirect. The SDK
 * follows a redirect only within the origin of the server.
 */
export function redirectIn({ message }: Error): string {
  const [redirect] = /Redirect .*? not followed/.exec(message) ?? []
  return redirect === undefined ? '' : ` (${redirect})`
}
