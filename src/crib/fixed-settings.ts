// The settings that a gateway reads only when it starts. A changed value takes effect at the next start.

import type { Config } from '../config/config.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import { type ConfigProblem, problemAt } from '../config/problem.ts'

const FIXED: Readonly<Record<string, (config: Config) => unknown>> = {
  'discovery.strategy': ({ discovery }) => discovery.strategy,
  'discovery.strategyOptions': ({ discovery }) => discovery.strategyOptions,
  'discovery.cache.enabled': ({ discovery }) => discovery.cache.enabled,
  'discovery.search.ranker': ({ discovery }) => discovery.search.ranker,
  'discovery.passthrough': ({ discovery }) => discovery.passthrough,
  'discovery.listWaitMs': ({ discovery }) => discovery.listWaitMs,
  'http.host': ({ http }) => http.host,
  'http.port': ({ http }) => http.port,
  'http.basePath': ({ http }) => http.basePath,
  'http.tls': ({ http }) => http.tls,
  'http.metrics': ({ http }) => http.metrics,
  audit: ({ audit }) => audit,
  log: ({ log }) => log,
  traces: ({ traces }) => traces,
  store: ({ store }) => store,
  'limits.maxResultTokens': ({ limits }) => limits.maxResultTokens,
  'limits.maxStarting': ({ limits }) => limits.maxStarting,
  'limits.maxHandles': ({ limits }) => limits.maxHandles,
  'limits.maxHandleBytes': ({ limits }) => limits.maxHandleBytes,
  'limits.maxAuditBytes': ({ limits }) => limits.maxAuditBytes,
  'limits.drainMs': ({ limits }) => limits.drainMs,
  'limits.maxMessageBytes': ({ limits }) => limits.maxMessageBytes,
}

/** A warning for each of these settings that has changed since the start. */
export function waitingSettings(started: LoadedConfig, now: LoadedConfig): readonly ConfigProblem[] {
  const file = now.origin.kind === 'defaults' ? '' : now.origin.file
  return Object.entries(FIXED)
    .filter(([, read]) => JSON.stringify(read(started.config)) !== JSON.stringify(read(now.config)))
    .map(([path]) =>
      problemAt(
        { file, path: path.split('.') },
        {
          severity: 'warning',
          expected: 'the value at the start',
          found: 'another value',
          message: 'This takes effect when the gateway is started again; the rest of the file applies now',
        },
      ),
    )
}
