// How patient a source is with its server, and how much it keeps of it; every bound has a name here.

import type { ServerConfig } from '../../config/server-config.ts'

export interface UpstreamSettings {
  /** From the start of the process or connection to the first answer (120,000: images are pulled, packages fetched). */
  readonly startTimeoutMs: number
  /** How long a call waits for a start; the start itself goes on (30,000). */
  readonly startWaitMs: number
  /** How long a server may take to say which protocol era it speaks before it counts as legacy (15,000). */
  readonly probeTimeoutMs: number
  /** For a page of its list, and for other requests than calls (30,000). */
  readonly listTimeoutMs: number
  /** A call without an answer or a sign of progress (60,000, or the server's own `timeoutMs`). */
  readonly callTimeoutMs: number
  /** A call in all, however much it progresses (3,600,000). */
  readonly maxCallMs: number
  /** How old a list may be before it is asked for again (3,600,000). */
  readonly ttlMs: number
  /** How long a server found to be legacy is not asked again (7 days). */
  readonly eraTtlMs: number
  /** Stopped after so long without a call; 0 never (600,000 for processes, never for others). */
  readonly idleMs: number
  /** The same for a server that was started only to be asked for its list (30,000). */
  readonly listedIdleMs: number
  /** The wait after a failed start (1,000), doubled each time up to `maxBackoffMs` (300,000). */
  readonly backoffMs: number
  readonly maxBackoffMs: number
  /** How often a server of which nothing is known is tried again without being asked for (5). */
  readonly backgroundTries: number
  /** How many questions a server may put to the client of one call (16). */
  readonly maxQuestions: number
  /** See process.ts and stdio-transport.ts. */
  readonly graceMs?: number
  readonly maxFrameBytes?: number
}

const HOUR_MS = 3_600_000

export function settingsFor(config: ServerConfig, given: Partial<UpstreamSettings> = {}): UpstreamSettings {
  const { connection, timeoutMs, idleMs } = config
  const defaults: UpstreamSettings = {
    startTimeoutMs: 120_000,
    startWaitMs: 30_000,
    probeTimeoutMs: 15_000,
    listTimeoutMs: 30_000,
    callTimeoutMs: 60_000,
    maxCallMs: HOUR_MS,
    ttlMs: HOUR_MS,
    eraTtlMs: 7 * 24 * HOUR_MS,
    idleMs: connection.type === 'stdio' ? 600_000 : 0,
    listedIdleMs: 30_000,
    backoffMs: 1_000,
    maxBackoffMs: 300_000,
    backgroundTries: 5,
    maxQuestions: 16,
  }
  return {
    ...defaults,
    ...given,
    // What is said of one server weighs more than what is said of all.
    ...(timeoutMs === undefined ? {} : { callTimeoutMs: timeoutMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
  }
}
