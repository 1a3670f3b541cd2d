// The options of the HTTP front door, and the open door.

import type { AddressOptions } from '../config/http-settings.ts'
import type { AccessRecord } from './access-log.ts'
import type { CorsOptions } from './cors.ts'
import type { DoorLoginOptions } from './door-login.ts'
import type { DrainOptions } from './drain.ts'
import type { FrontOptions } from './front-options.ts'
import type { InspectorOptions } from './inspector/inspector-options.ts'
import type { MetricsPage } from './routes.ts'

export interface HttpOptions extends FrontOptions, DoorLoginOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly cors?: CorsOptions
  /** The public address. */
  readonly http?: AddressOptions
  /** The page at /metrics. Default: none. */
  readonly metrics?: MetricsPage
  /** The page at / and its data. Default: none. */
  readonly inspector?: InspectorOptions
  /** Called after each request, except probes. */
  onAccess?(record: AccessRecord): void
  readonly maxBodyBytes?: number
  readonly maxSessions?: number
  readonly sessionIdleMs?: number
}

export interface HttpDoor {
  readonly port: number
  /** The number of open legacy sessions. */
  readonly sessions: number
  /** Replaces the hosts, origins and proxies that are allowed. The path and the files of the certificate stay. */
  readdress(http: AddressOptions): void
  /** Closes all sessions and responses of this principal. */
  dismiss(principal: string): void
  /** Refuses new calls, waits for calls in flight, then closes. /health and /ready are answered meanwhile. */
  close(drainMs: number, options?: Omit<DrainOptions, 'drainMs'>): Promise<void>
}
