// Tells a person who started `serve` or `wrap` by hand that the command waits for a client.

import { logLine } from '../gateway/gateway-log.ts'

const WAITS_FOR_CLIENT =
  'waiting for an MCP client on stdin (a client starts this program itself); use --http to serve on an address, Ctrl-C to end'

/** Prints nothing if stdin is not a terminal: a client connects pipes. */
export function noteWaiting({ quiet }: { readonly quiet?: boolean | undefined }): void {
  if (process.stdin.isTTY === true && quiet !== true) logLine(WAITS_FOR_CLIENT)
}
