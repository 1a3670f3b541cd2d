// Opens the front door of `toolcrib serve`: stdio, HTTP, or the socket of a shared gateway.

import type { Gateway } from '../../../crib/from-config.ts'
import { type Door, openHttpDoor, openStdioDoor } from '../../../front/doors.ts'
import type { FrontOptions } from '../../../front/front-options.ts'
import type { Metrics } from '../../../front/metrics/metrics.ts'
import { openSharedDoor, type SharedDoor } from '../../../front/shared-door.ts'
import type { Environment } from '../../../setup/environment.ts'
import type { ControlOptions } from '../../gateway/control-server.ts'
import { doorOptions, inspectorFor } from './door-options.ts'
import type { HttpAccess } from './http-access.ts'
import type { ServeFlags } from './serve-flags.ts'

export interface OpenedDoor {
  readonly door: Door
  /** The same door, if this process is the shared gateway. */
  readonly shared?: SharedDoor
}

interface DoorContext {
  readonly environment: Environment
  readonly flags: ServeFlags
  /** Undefined over stdio, and with --no-auth. */
  readonly access: HttpAccess | undefined
  readonly metrics: Metrics | undefined
}

export async function openDoor(
  front: FrontOptions,
  gateway: Gateway,
  { environment, flags, access, metrics }: DoorContext,
): Promise<OpenedDoor> {
  const { loaded, redact } = gateway
  const { address, http, logs, end, maxMessageBytes, idleMs } = doorOptions(loaded.config, flags, redact, metrics)
  if (flags.sharedKey !== undefined) {
    const shared = openSharedDoor(front, { ...end, maxMessageBytes, idleMs })
    return { door: shared, shared }
  }
  if (!flags.http) return { door: openStdioDoor(front, { ...end, maxMessageBytes, principal: flags.client }) }
  const inspector = inspectorFor(gateway, environment)
  const options = { ...address, ...access?.login, http, ...logs, metrics: metrics?.page, inspector, ...end }
  return { door: await openHttpDoor(front, options) }
}

/** The text for the log: where clients connect. */
export function servedOn({ url }: Door, shared: SharedDoor | undefined): string {
  if (shared !== undefined) return 'its socket, shared by all clients'
  return url.startsWith('http') ? url : 'stdio'
}

/** The options of the control server, through which clients join a shared gateway. */
export function controlOptions({ sharedKey: key }: ServeFlags, door: SharedDoor | undefined): ControlOptions {
  if (key === undefined || door === undefined) return {}
  return { shared: { key, clients: () => door.clients, join: door.join } }
}
