// Reloads the configuration of a gateway, on request and when a watched file changes.

import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config/config.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import { type ConfigProblem, problemAt } from '../config/problem.ts'
import { type ConfigWatch, watchConfig } from '../config/watch.ts'
import { messageOf } from '../core/text.ts'
import type { Decide } from '../core/tool.ts'
import { compileRuleSets } from '../rules/rule-sets.ts'
import { decideAhead, preparePatterns } from '../rules/rules.ts'
import type { ToolSource } from '../sources/source.ts'
import { problemsOf, ruleProblems } from './config-problems.ts'
import type { GatewayOptions, Reload } from './gateway-options.ts'

interface ReloaderOptions extends Pick<GatewayOptions, 'load' | 'onProblem'> {
  /** The configuration that the gateway started with. */
  readonly first: LoadedConfig
  /** When the gateway began to load `first`. */
  readonly loadedAt: number
  /** The configuration in effect. */
  current(): LoadedConfig
  /** The servers of the configuration in effect. */
  sources(): readonly ToolSource[]
  /** Puts a valid configuration and its rules into effect. */
  apply(next: LoadedConfig, decide: Decide): void
}

export function createReloader(options: ReloaderOptions) {
  const { first, current, onProblem } = options
  const closing = new AbortController()
  let watching: ConfigWatch | undefined
  const reloadOnce = async (): Promise<Reload> => {
    const next = await options.load(closing.signal)
    watching?.update(next.watched)
    await preparePatterns([...next.rules, ...next.projectRules])
    // Invalid rules of a project fail closed: they disable tools, but do not block an edit of the user's configuration.
    const unreadable = ruleProblems(next)
    const problems = problemsOf(next)
    if (!next.isValid || unreadable.length > 0) return { applied: false, problems }
    const result: Reload = { applied: true, problems: [...problems, ...waitingSettings(first, next)] }
    if (JSON.stringify(effectivePart(next)) === JSON.stringify(effectivePart(current()))) return result
    const { decide } = compileRuleSets(next)
    await decideAhead(decide, options.sources(), closing.signal)
    options.apply(next, decide)
    return result
  }
  // Reloads run one after the other, so that after two edits the second is in effect.
  let last: Promise<unknown> = Promise.resolve()
  const reload = (): Promise<Reload> => {
    const next = last.then(reloadOnce)
    last = next.catch(() => {})
    return next
  }
  return {
    reload,
    async watch(): Promise<void> {
      const { watched } = current()
      // Problems at the start were already reported.
      const reportNew = createReloadReporter(problemsOf(current()), onProblem)
      const follow = async () => reportNew(await reload())
      watching = watchConfig(watched, follow, {
        signal: closing.signal,
        onError: (error) => onProblem({ message: messageOf(error) }),
      })
      // Apply a change that happened before the watch started.
      if (watched.some((file) => mayHaveChanged(file, options.loadedAt))) await follow()
    },
    /** Ends the watch and the load that is running. */
    [Symbol.dispose](): void {
      closing.abort()
      watching?.close()
    },
  }
}

/** The clock of a file system may be slightly behind the clock of this process. */
const CLOCK_MARGIN_MS = 100

/**
 * True if the file has changed since this time. Also true if a file in the same folder was created or deleted, because
 * that changes the folder, and if the times cannot be read.
 */
function mayHaveChanged(file: string, sinceMs: number): boolean {
  const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0
  try {
    return Math.max(changedAt(file), changedAt(dirname(file))) > sinceMs - CLOCK_MARGIN_MS
  } catch {
    return true
  }
}

/** The part of a configuration that decides which servers are served and how. It has no origins of servers. */
function effectivePart({ config, servers, rules, projectRules, variables, secretNames }: LoadedConfig): unknown {
  // Plugins are code, which JSON cannot compare. They take effect only at the start.
  const settings = { ...config, plugins: undefined }
  const described = servers.map(({ origin: _origin, ...server }) => server)
  return [settings, described, rules, projectRules, variables, secretNames]
}

/** Reports the problems of a reload that the reload before it did not have. `known`: the problems before any reload. */
function createReloadReporter(
  known: readonly ConfigProblem[],
  onProblem: GatewayOptions['onProblem'],
): (reload: Reload) => void {
  let reported = new Set(known.map((problem) => JSON.stringify(problem)))
  return ({ applied, problems }) => {
    const byText = new Map(problems.map((problem) => [JSON.stringify(problem), problem]))
    const newProblems = [...byText].filter(([text]) => !reported.has(text))
    reported = new Set(byText.keys())
    for (const [, problem] of newProblems) onProblem({ message: problem.message, config: problem })
    if (!applied && newProblems.length > 0)
      onProblem({ message: 'this edit is not applied; the configuration before it stays in force' })
  }
}

/** The settings that a gateway reads only when it starts. A changed value takes effect at the next start. */
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
  shared: ({ shared }) => shared,
  store: ({ store }) => store,
  'limits.maxResultTokens': ({ limits }) => limits.maxResultTokens,
  'limits.maxStarting': ({ limits }) => limits.maxStarting,
  'limits.maxHandles': ({ limits }) => limits.maxHandles,
  'limits.maxHandleBytes': ({ limits }) => limits.maxHandleBytes,
  'limits.maxAuditBytes': ({ limits }) => limits.maxAuditBytes,
  'limits.drainMs': ({ limits }) => limits.drainMs,
  'limits.sharedIdleMs': ({ limits }) => limits.sharedIdleMs,
  'limits.maxMessageBytes': ({ limits }) => limits.maxMessageBytes,
}

/** A warning for each setting in FIXED that has changed since the start. */
function waitingSettings(started: LoadedConfig, now: LoadedConfig): readonly ConfigProblem[] {
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
