// Metrics for Prometheus. They use the optional package prom-client, which is loaded only if metrics are on.

import { errors } from '../../core/errors.ts'
import { loadOptional, requireInstalled } from '../../core/optional-package.ts'
import { UNKNOWN_NAME_CODES } from '../../core/unknown-name-codes.ts'
import type { GatewayObserver, ObservedCall } from '../../crib/recorders.ts'
import type { AccessRecord } from '../access-log.ts'
import type { MetricsPage } from '../http-answer.ts'
import { METRICS } from './metric-table.ts'

/** Values that are read when metrics are requested. */
interface MetricReadings {
  readonly servers: readonly { readonly id: string; readonly state: string }[]
  readonly waitingStarts: number
  readonly waitingCalls: number
  readonly activeRequests: number
  readonly sessions: number
  readonly isStoreDegraded: boolean
  readonly configVersions: number
}

interface MetricsOptions {
  /** How many tools have their own label. */
  readonly maxTools: number
  /** True: no token is needed. */
  readonly isPublic: boolean
  /** The principals that may read the metrics. Undefined: all with unlimited rights. */
  readonly principals?: readonly string[] | undefined
  read(): MetricReadings
}

export interface Metrics {
  readonly observer: GatewayObserver
  readonly page: MetricsPage
  onAccess(record: AccessRecord): void
  /** Adds the tokens of a list that a client has read, and those of the full list of the tools that it may use. */
  onList(tokens: { readonly served: number; readonly full: number }): void
}

/** Each of these readings is the value of the metric with the same key in `METRICS`. */
const NUMBERS = ['waitingStarts', 'waitingCalls', 'activeRequests', 'sessions', 'configVersions'] as const
const STATES = ['known', 'starting', 'connected', 'failed'] as const
/** From a call in memory to the usual time limit of a call. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const PACKAGE = 'prom-client'
const NEED = { what: 'http.metrics', reason: 'metrics need' }

/** Raises an error if the package for metrics is not installed. */
export function requireMetricsPackage(): void {
  requireInstalled(PACKAGE, NEED)
}

export async function createMetrics({ maxTools, isPublic, principals, read }: MetricsOptions): Promise<Metrics> {
  const load = () => import('prom-client')
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await loadOptional(PACKAGE, load, NEED)
  const registry = new Registry()
  // Memory, CPU and the event loop of this process, under the usual names.
  collectDefaultMetrics({ register: registry })
  const options = ({ name, help, labels }: (typeof METRICS)[keyof typeof METRICS]) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  })
  const calls = new Counter(options(METRICS.calls))
  const callSeconds = new Histogram({ ...options(METRICS.callSeconds), buckets: BUCKETS })
  const searches = new Counter(options(METRICS.searches))
  const starts = new Counter(options(METRICS.starts))
  const responses = new Counter(options(METRICS.responses))
  const refusedLogins = new Counter(options(METRICS.refusedLogins))
  const listTokens = new Counter(options(METRICS.listTokens))
  const states = new Gauge(options(METRICS.states))
  const storeDegraded = new Gauge(options(METRICS.storeDegraded))
  const numbers = NUMBERS.map((reading) => ({ reading, gauge: new Gauge(options(METRICS[reading])) }))
  const labelsOf = createToolLabels(maxTools)
  // These counters start at 0: a rate needs a first value, and the alert on searches without hits must also report the
  // first of these searches.
  for (const outcome of ['found', 'nothing']) searches.inc({ outcome }, 0)
  for (const list of ['full', 'served']) listTokens.inc({ list }, 0)

  const update = () => {
    const now = read()
    // Drops the states of removed servers.
    states.reset()
    for (const { id, state } of now.servers) {
      for (const one of STATES) states.set({ server: id, state: one }, one === state ? 1 : 0)
    }
    storeDegraded.set(now.isStoreDegraded ? 1 : 0)
    for (const { reading, gauge } of numbers) gauge.set(now[reading])
  }
  return {
    observer: {
      onCall(call) {
        const { server, tool, code } = labelsOf(call)
        calls.inc({ server, tool, code })
        callSeconds.observe({ server, tool }, call.durationMs / 1_000)
      },
      onFound: (found) => searches.inc({ outcome: found > 0 ? 'found' : 'nothing' }),
      onServerState(server, state) {
        if (state === 'connected' || state === 'failed')
          starts.inc({ server, outcome: state === 'connected' ? 'ok' : 'failed' })
      },
    },
    onAccess({ status, refused }) {
      responses.inc({ status: String(status) })
      if (refused !== undefined) refusedLogins.inc({ reason: refused })
    },
    onList({ served, full }) {
      listTokens.inc({ list: 'served' }, served)
      listTokens.inc({ list: 'full' }, full)
    },
    page: {
      isPublic,
      // The labels contain the names of all servers and tools, so limited rights are not enough.
      admits: ({ principal, rights }) => principals?.includes(principal) ?? rights === undefined,
      async respond() {
        update()
        return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } })
      },
    },
  }
}

const UNKNOWN = 'unknown'
const OTHER = 'other'

/**
 * Returns a function that gives a call its labels. Each combination of labels needs memory, so their number is limited:
 * after `maxTools` tools, further tools share the label `other`. The same number limits the servers.
 */
export function createToolLabels(maxTools: number) {
  const tools = new Set<string>()
  const servers = new Set<string>()
  const isAdmitted = (set: Set<string>, key: string) => {
    if (set.has(key)) return true
    if (set.size >= maxTools) return false
    set.add(key)
    return true
  }
  return ({ server, tool, result }: Pick<ObservedCall, 'server' | 'tool' | 'result'>) => {
    const code = codeOf(result)
    if (UNKNOWN_NAME_CODES.has(code)) return { server: UNKNOWN, tool: UNKNOWN, code }
    if (!isAdmitted(servers, server)) return { server: OTHER, tool: OTHER, code }
    return { server, tool: isAdmitted(tools, JSON.stringify([server, tool])) ? tool : OTHER, code }
  }
}

/** A command or a plugin may return a code of its own. */
function codeOf({ success, error }: ObservedCall['result']): string {
  if (success) return 'ok'
  return error !== undefined && Object.hasOwn(errors, error.code) ? error.code : OTHER
}
