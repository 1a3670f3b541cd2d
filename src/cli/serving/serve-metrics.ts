// Opens the metrics of `toolcrib serve --http`, if the config switches them on.

import type { Config } from '../../config/config.ts'
import type { Crib } from '../../crib/crib.ts'
import type { Gateway } from '../../crib/from-config.ts'
import { countListing } from '../../disclosure/strategies/listing/tool-cost.ts'
import type { AccessRecord } from '../../front/access-log.ts'
import type { Activity } from '../../front/activity.ts'
import type { Door } from '../../front/doors.ts'
import type { Metrics } from '../../front/metrics/metrics.ts'
import { fullListTokens } from '../strategy/tool-costs.ts'
import type { OnSession } from '../usage/usage-log.ts'

/** The parts of a running gateway that metrics read. They are absent during its start. */
export interface MeasuredParts {
  readonly gateway?:
    | Pick<Gateway, 'sources' | 'waitingCalls' | 'waitingStarts' | 'shared' | 'configVersions'>
    | undefined
  readonly door?: Pick<Door, 'sessions'> | undefined
  readonly activity?: Pick<Activity, 'active'> | undefined
}

/** Undefined if the configuration has no metrics. */
export async function openMetrics({ http }: Config, measured: () => MeasuredParts): Promise<Metrics | undefined> {
  const { enabled, public: isPublic, principals, maxTools } = http.metrics
  if (!enabled) return undefined
  const { createMetrics } = await import('../../front/metrics/metrics.ts')
  return createMetrics({
    maxTools,
    isPublic,
    principals,
    read() {
      const { gateway, door, activity } = measured()
      return {
        servers: (gateway?.sources ?? []).map((source) => ({ id: source.id, state: source.info().state })),
        waitingStarts: gateway?.waitingStarts ?? 0,
        waitingCalls: gateway?.waitingCalls ?? 0,
        activeRequests: activity?.active ?? 0,
        sessions: door?.sessions ?? 0,
        isStoreDegraded: gateway?.shared?.isDegraded?.() === true,
        configVersions: gateway?.configVersions ?? 1,
      }
    },
  })
}

const MAX_WAIT_MS = 10_000

/** Reports the tokens of the list that a client got, and those of the full list of the tools that it may use. */
export function countListed(crib: Pick<Crib, 'inspect'>, metrics: Metrics): OnSession {
  // A cache, because counting thousands of tools takes long, and most clients have the same tools.
  const fullTokens = new WeakMap<object, Promise<number>>()
  return async (listed, caller) => {
    const view = await crib.inspect(AbortSignal.timeout(MAX_WAIT_MS), caller)
    const full = fullTokens.get(view.visible) ?? fullListTokens(view)
    fullTokens.set(view.visible, full)
    metrics.onList({ served: await countListing(listed), full: await full })
  }
}

/** Passes each record to the log and the metrics. Undefined if both are absent: the door then makes no records. */
export function accessListener(
  log: ((record: AccessRecord) => void) | undefined,
  metrics: Metrics | undefined,
): ((record: AccessRecord) => void) | undefined {
  if (log === undefined || metrics === undefined) return log ?? metrics?.onAccess
  return (record) => {
    log(record)
    metrics.onAccess(record)
  }
}
