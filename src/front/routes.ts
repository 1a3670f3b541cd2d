// The paths of the HTTP front door, and the answers to probes.

import type { Identity } from './auth.ts'
import { type Readiness, readiness } from './fleet.ts'

/** The page at /metrics. */
export interface MetricsPage {
  readonly isPublic: boolean
  admits(identity: Identity): boolean
  respond(): Promise<Response>
}

export interface Paths {
  readonly mcp: string
  readonly health: string
  readonly ready: string
  readonly metrics: string
}

/** `basePath` is empty or a path such as `/tools`. */
export function pathsBelow(basePath: string): Paths {
  const at = (name: string) => `${basePath}/${name}`
  return { mcp: at('mcp'), health: at('health'), ready: at('ready'), metrics: at('metrics') }
}

/**
 * `/health` shows that the process answers. `/ready` shows that it accepts calls, so it fails while the server stops.
 * Undefined for other paths.
 */
export function answerProbe({ health, ready }: Paths, path: string, state: Readiness): Response | undefined {
  if (path === health) return Response.json({ status: 'ok' })
  return path === ready ? readiness(state) : undefined
}
