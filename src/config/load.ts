// From files to one configuration: the config file in force, the servers it names or imports, and what is wrong.

import type { Config } from './config.ts'
import { type ConfigFiles, realFiles } from './config-files.ts'
import { ownDialect } from './dialect.ts'
import { type ConfigOrigin, type FindOptions, type FoundConfig, findConfig } from './find-config.ts'
import { type Approval, importSources, type SourceReport } from './import-sources.ts'
import { importers as builtins } from './imports/builtins.ts'
import type { Importer } from './imports/importer.ts'
import { mergeServers } from './merge-servers.ts'
import { defaultConfig, type ParsedConfig, parseConfig } from './parse-config.ts'
import { resolveTemplatePath } from './paths.ts'
import { type ConfigProblem, problemAt } from './problem.ts'
import { readDocument } from './read-document.ts'
import type { Variables } from './references.ts'
import { configsAround, configsWithin, type OwnGateway } from './self.ts'
import type { ServerConfig, ToolRule } from './server-config.ts'
import { nothing } from './server-entry.ts'
import { baseFolders, requestSources } from './source-requests.ts'

export { findConfig } from './find-config.ts'

export interface LoadOptions extends FindOptions {
  readonly platform: NodeJS.Platform
  /** What references stand for; nobody changes it afterwards. */
  readonly env: Variables
  /** Project-level files that the user has allowed. */
  readonly approved?: readonly Approval[] | undefined
  /** The addresses this gateway answers on under these settings, so that it never imports itself. */
  readonly ownUrls?: ((http: Config['http']) => readonly string[]) | undefined
  readonly importers?: ReadonlyMap<string, Importer> | undefined
  readonly signal?: AbortSignal | undefined
}

export interface LoadedConfig {
  readonly config: Config
  readonly servers: readonly ServerConfig[]
  /** The user's own, then those that carry over the lists of clients: these only ever disable. */
  readonly rules: readonly ToolRule[]
  readonly problems: readonly ConfigProblem[]
  readonly origin: ConfigOrigin
  /** Whether the config file holds no error. An edit that does is refused as a whole; clients' files do not count. */
  readonly isValid: boolean
  readonly sources: readonly SourceReport[]
  /** What its references stand for, as of when it was read. */
  readonly variables: Variables
  /** Every file that was or would have been read. */
  readonly watched: readonly string[]
}

export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { files = realFiles, importers = builtins, approved = [], signal } = options
  const found = await findConfig(options)
  const parsed = await readConfig(found.origin, options, files)
  signal?.throwIfAborted()

  const { discovery } = parsed.config
  const { requests, problems } = requestSources(parsed, found.origin, importers, options)
  const imported = await importSources(discovery.enabled ? requests : [], {
    ...options,
    own: ownGateway(options, found.origin, parsed.config.http),
    files,
    approved,
  })
  signal?.throwIfAborted()

  const merged = mergeServers([parsed.entries, ...imported.results], options.env)
  const ownProblems = [...parsed.problems, ...problems, ...remarks(parsed, found)]
  return {
    config: parsed.config,
    servers: discovery.enabled ? merged.servers : [],
    rules: [...parsed.rules, ...merged.rules],
    problems: [...ownProblems, ...imported.results.flatMap((result) => result.problems), ...merged.problems],
    origin: found.origin,
    isValid: ownProblems.every(({ severity }) => severity !== 'error'),
    sources: imported.reports,
    variables: options.env,
    watched: [
      ...new Set([...found.candidates, ...requests.flatMap((request) => request.files.map((file) => file.path))]),
    ],
  }
}

const NOTHING: Omit<ParsedConfig, 'config' | 'problems'> = { entries: nothing([]), rules: [], sources: [] }

async function readConfig(origin: ConfigOrigin, options: LoadOptions, files: ConfigFiles): Promise<ParsedConfig> {
  if (origin.kind === 'defaults') return { ...NOTHING, config: defaultConfig(), problems: [] }
  const { file } = origin
  const document = await readDocument(file, files)
  if (!document.ok) return { ...NOTHING, config: defaultConfig(), problems: [document.problem] }
  const { home, platform } = options
  const base = baseFolders(file).at(-1)
  const place = {
    file,
    path: [],
    source: 'config',
    dialect: ownDialect,
    resolvePath: (path: string) => resolveTemplatePath(path, { home, platform, base }),
  }
  return parseConfig(document.value, place, (http) => ownGateway(options, origin, http))
}

function ownGateway({ home, env, ownUrls }: LoadOptions, origin: ConfigOrigin, http: Config['http']): OwnGateway {
  return {
    urls: ownUrls?.(http),
    configs: configsWithin(origin, env),
    home,
    isNested: configsAround(env).length > 0,
  }
}

function remarks(
  { config, entries, sources, problems }: ParsedConfig,
  { origin, others }: FoundConfig,
): ConfigProblem[] {
  if (origin.kind === 'defaults') return []
  const { file } = origin
  const unused = others.map((other) =>
    problemAt(
      { file: other, path: [] },
      { severity: 'info', expected: 'one config file', found: 'another', message: `Not in force: ${file} comes first` },
    ),
  )
  const isEmpty =
    config.discovery.enabled && entries.servers.length === 0 && sources.length === 0 && problems.length === 0
  if (!isEmpty) return unused
  const empty = problemAt(
    { file, path: ['discovery'] },
    {
      severity: 'warning',
      expected: "'servers' or 'sources'",
      found: 'neither',
      message: "There is nothing to serve. With a config file, clients are imported only as 'sources' name them",
    },
  )
  return [...unused, empty]
}
