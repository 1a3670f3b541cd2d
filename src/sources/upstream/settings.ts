// The settings of a server's source: its time limits and other limits, with their defaults, and its pinning.

import { kindOf } from '../../config/connection-kinds.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import { defined } from '../../core/defined.ts'
import type { Pinning } from './pins/server-pins.ts'

const HOUR_MS = 3_600_000
/** The idle time of a server of one person. Without it, each person who ever connected would keep a process. */
const PERSON_IDLE_MS = 600_000

/** The defaults of the limits that are the same for all servers. */
const DEFAULTS = {
  /**
   * From the start of the process or connection to the first answer, and to the list of tools if it is unknown. It is
   * long, because images or packages may be downloaded.
   */
  startTimeoutMs: 120_000,
  /** How long a call waits for a start. The start itself continues. */
  startWaitMs: 30_000,
  /** How long a server may take to answer the era probe before it counts as legacy. */
  probeTimeoutMs: 15_000,
  /** For a page of the list, and for requests other than calls. */
  listTimeoutMs: 30_000,
  /** The time of a call without an answer or progress. `timeoutMs` of the server has precedence. */
  callTimeoutMs: 60_000,
  /** The total time of a call, even if it makes progress. */
  maxCallMs: HOUR_MS,
  /** How old a list may be before it is fetched again. */
  ttlMs: HOUR_MS,
  /** How long a cached protocol era is used before it is determined again. */
  eraTtlMs: 7 * 24 * HOUR_MS,
  /** The idle time before a stop, for a server that was started only to fetch its list. */
  listedIdleMs: 30_000,
  /** The longest wait after the first failed start. It doubles each time up to `maxBackoffMs`. */
  backoffMs: 1_000,
  maxBackoffMs: 300_000,
  /** How often a failed start in the background is tried again if the server has no manifest. */
  backgroundTries: 5,
  /** The maximum number of questions that a server may ask the client during one call. */
  maxQuestions: 16,
}

export interface UpstreamSettings extends Readonly<typeof DEFAULTS> {
  /** Idle time before a stop. 0 means never. The default is that of the connection kind, or `PERSON_IDLE_MS`. */
  readonly idleMs: number
  /** Whether tools that differ from their pins are marked or refused. Default: `off`. */
  readonly pinning: Pinning
  /** `graceMs` is described in process.ts, `maxFrameBytes` in stdio-transport.ts. */
  readonly graceMs?: number
  readonly maxFrameBytes?: number
}

export function settingsFor(config: ServerConfig, given: Partial<UpstreamSettings> = {}): UpstreamSettings {
  const { connection, timeoutMs, idleMs, perPrincipal } = config
  return {
    ...DEFAULTS,
    idleMs: perPrincipal === true ? PERSON_IDLE_MS : kindOf(connection).idleMs,
    pinning: 'off',
    ...given,
    // The settings of one server take precedence over those for all servers.
    ...defined({ callTimeoutMs: timeoutMs, idleMs }),
  }
}
