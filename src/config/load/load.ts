// Loads the config of the user and the additions of an approved config in the current folder. Collects all problems.

import { dirname } from 'node:path'
import type { Approval } from '../approval.ts'
import type { Config } from '../config.ts'
import { type ConfigFiles, isFolder, readFailure, realFiles } from '../config-files.ts'
import { ownDialect } from '../dialect.ts'
import { type Document, formatOf, parseConfigDocument } from '../document.ts'
import { type ConfigOrigin, type FindConfigOptions, type FoundConfig, findConfig } from '../find-config.ts'
import { importers as builtins } from '../imports/builtins.ts'
import { entryLocation, type ImportEnvironment, type Importer, isImporter } from '../imports/importer.ts'
import { isModule, loadModule } from '../load-module.ts'
import { mergeServers, type ServerGroup } from '../merge-servers.ts'
import { defaultConfig, type ParsedConfig, parseConfig } from '../parse-config.ts'
import { type PathContext, resolvePath } from '../paths.ts'
import { loaderVariableProblems } from '../prepare-connection.ts'
import { type ConfigProblem, fileProblem, problemAt } from '../problem.ts'
import type { Variables } from '../references.ts'
import { configChain, type OwnGateway, parentConfigs } from '../self.ts'
import { programIn, type ServerConfig, type ToolRule } from '../server-config.ts'
import { noServers } from '../server-entry.ts'
import { type ImportedFile, importSources, type SourceReport, type SourceRequest } from './import-sources.ts'
import { type FindRuleProblems, type ProjectContext, type ProjectReport, useProject } from './project-config.ts'
import { baseFolders, namedRequests, requestSources } from './source-requests.ts'

export interface LoadOptions extends FindConfigOptions {
  readonly platform: NodeJS.Platform
  /** The values of `${VAR}` references. This object never changes. */
  readonly env: Variables
  /** The files of projects that the user has approved. */
  readonly approved?: readonly Approval[] | undefined
  /** Checks the rules of a project config that is not approved, see `ProjectContext`. */
  readonly findRuleProblems?: FindRuleProblems | undefined
  /** The addresses of this gateway under these settings, so that it never imports itself. */
  readonly ownUrls?: ((http: Config['http']) => readonly string[]) | undefined
  readonly importers?: ReadonlyMap<string, Importer> | undefined
  readonly signal?: AbortSignal | undefined
}

export interface LoadedConfig {
  readonly config: Config
  readonly servers: readonly ServerConfig[]
  /** The rules of the user, then rules from the tool lists of server entries, which only disable. */
  readonly rules: readonly ToolRule[]
  /** The rules of the project config. They apply only to tools that `rules` leave enabled. */
  readonly projectRules: readonly ToolRule[]
  readonly problems: readonly ConfigProblem[]
  readonly origin: ConfigOrigin
  /** The config of the current folder, used or not. Undefined if there is none, or if it was not read. */
  readonly project?: ProjectReport
  /**
   * Whether the config of the user has no error. Errors in other files do not count. A running gateway keeps its config
   * if this is false.
   */
  readonly isValid: boolean
  readonly sources: readonly SourceReport[]
  /** The values of the references at the time of loading. */
  readonly variables: Variables
  /** The names in `secrets.env`. Servers get their values only by reference. */
  readonly secretNames?: readonly string[]
  /** Every config file that was read, or would have been read if it existed. */
  readonly watched: readonly string[]
}

export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { files = realFiles, approved = [], signal } = options
  const found = await findConfig(options)
  const parsed = await readConfig(found.origin, options, files)
  const { discovery, http, allowEnv } = parsed.config
  const importers = withPlugins(options.importers ?? builtins, parsed.config)
  const context = { ...options, files, approved, own: ownGateway(options, found.origin, http) }
  signal?.throwIfAborted()

  const { requests, problems } = requestSources(parsed, found.origin, importers, options)
  const imported = await importSources(discovery.enabled ? requests : [], context)
  signal?.throwIfAborted()

  const ownProblems = [...parsed.problems, ...problems, ...configWarnings(parsed, found)]
  const isValid = ownProblems.every(({ severity }) => severity !== 'error')
  // While the rules of the user cannot be read, a project must not start servers that those rules might disable.
  const isProjectRead = discovery.enabled && isValid && found.project !== undefined
  const project = isProjectRead ? await readProject(found.project, importers, context) : NO_PROJECT
  signal?.throwIfAborted()

  // The user's `allowEnv` does not cover files that need an approval: `trust` shows what these files allow.
  const importedGroups = imported.map(({ result, approvable }) =>
    approvable === undefined ? addAllowedEnv(result, allowEnv) : result,
  )
  const groups = [addAllowedEnv(parsed.entries, allowEnv), ...importedGroups, ...project.groups]
  const merged = mergeServers(groups, options.env)
  // Compares the origins of rules, because `mergeServers` copies the rules of a renamed server.
  const origins = new Set(project.groups.flatMap(({ rules }) => rules).map(({ origin }) => origin))
  const isOfProject = ({ origin }: ToolRule) => origin !== undefined && origins.has(origin)
  return {
    config: parsed.config,
    servers: discovery.enabled ? merged.servers : [],
    rules: [...parsed.rules, ...merged.rules.filter((rule) => !isOfProject(rule))],
    projectRules: [...project.rules, ...merged.rules.filter(isOfProject)],
    problems: [
      ...ownProblems,
      ...imported.flatMap(({ result }) => result.problems),
      ...project.problems,
      ...merged.problems,
      ...(discovery.enabled ? loaderVariableProblems(merged.servers) : []),
    ],
    origin: found.origin,
    ...(project.report === undefined ? {} : { project: project.report }),
    isValid,
    sources: [...imported.map(({ report }) => report), ...project.sources],
    variables: options.env,
    watched: [...new Set([...found.candidates, ...filesOf(requests, imported), ...project.watched])],
  }
}

/** The importers that the user can use: the built-in ones, and those of plugins in the user's own config. */
export async function loadImporters(options: LoadOptions): Promise<ReadonlyMap<string, Importer>> {
  const { files = realFiles } = options
  const { origin } = await findConfig(options)
  const { config } = await readConfig(origin, options, files)
  return withPlugins(options.importers ?? builtins, config)
}

/** Importers of the user have precedence over built-in ones of the same name. */
function withPlugins(importers: ReadonlyMap<string, Importer>, { plugins }: Config): ReadonlyMap<string, Importer> {
  const own = (plugins?.importers ?? []).filter(isImporter)
  return own.length === 0
    ? importers
    : new Map([...importers, ...own.map((importer) => [importer.name, importer] as const)])
}

/** Adds the names to `allowEnv` of each server. */
function addAllowedEnv(group: ServerGroup, names: readonly string[]): ServerGroup {
  if (names.length === 0) return group
  const servers = group.servers.map((server): ServerConfig => {
    const program = programIn(server.connection)
    if (program === undefined) return server
    return { ...server, connection: { ...program, allowEnv: [...new Set([...(program.allowEnv ?? []), ...names])] } }
  })
  return { ...group, servers }
}

interface ProjectPart {
  readonly report?: ProjectReport
  readonly groups: readonly ServerGroup[]
  readonly rules: readonly ToolRule[]
  readonly sources: readonly SourceReport[]
  readonly problems: readonly ConfigProblem[]
  readonly watched: readonly string[]
}

const NO_PROJECT: ProjectPart = { groups: [], rules: [], sources: [], problems: [], watched: [] }

/** Reads the config of the current folder and the files that it names. Each needs an approval. */
async function readProject(
  file: string,
  importers: ReadonlyMap<string, Importer>,
  context: ProjectContext & ImportEnvironment,
): Promise<ProjectPart> {
  const { report, entries, rules, parts, ...project } = await useProject(file, context)
  const named = namedRequests(project.sources, { file, needsApproval: () => true }, importers, context)
  const imported = await importSources(named.requests, context)
  return {
    report,
    groups: [entries, ...imported.map(({ result }) => result)],
    rules,
    sources: imported.map(({ report: source }) => source),
    problems: [...project.problems, ...named.problems, ...imported.flatMap(({ result }) => result.problems)],
    watched: [...parts, ...filesOf(named.requests, imported)],
  }
}

/** The files of the requests, and the files that are part of their approvals. */
function filesOf(requests: readonly SourceRequest[], imported: readonly ImportedFile[]): readonly string[] {
  return [
    ...requests.flatMap(({ files }) => files.map(({ path }) => path)),
    ...imported.flatMap(({ approvable }) => approvable?.parts ?? []),
  ]
}

const EMPTY_CONFIG: Omit<ParsedConfig, 'config' | 'problems'> = { entries: noServers([]), rules: [], sources: [] }

async function readConfig(origin: ConfigOrigin, options: LoadOptions, files: ConfigFiles): Promise<ParsedConfig> {
  if (origin.kind === 'defaults') return { ...EMPTY_CONFIG, config: defaultConfig(), problems: [] }
  const { file } = origin
  const document = await readDocument(file, files)
  if (!document.ok) return { ...EMPTY_CONFIG, config: defaultConfig(), problems: [document.problem] }
  const { home, platform } = options
  const context = { home, platform, base: baseFolders(file).at(-1) }
  const location = entryLocation('config', file, context, ownDialect)
  const parsed = parseConfig(document.value, location, (http) => ownGateway(options, origin, http))
  return { ...parsed, config: withResolvedPaths(parsed.config, context) }
}

/** Resolves the paths of the audit log, and of the certificate and its key. */
function withResolvedPaths(config: Config, context: PathContext): Config {
  const { audit, http } = config
  const resolved = (path: string) => resolvePath(path, context)
  return {
    ...config,
    audit: audit.file === undefined ? audit : { ...audit, file: resolved(audit.file) },
    http:
      http.tls === undefined ? http : { ...http, tls: { cert: resolved(http.tls.cert), key: resolved(http.tls.key) } },
  }
}

/** Reads a config file of any supported format. */
async function readDocument(file: string, files: ConfigFiles): Promise<Document> {
  const fail = (found: string, message?: string): Document => ({
    ok: false,
    problem: fileProblem(file, { expected: 'a config file', found, ...(message === undefined ? {} : { message }) }),
  })
  const format = formatOf(file)
  const isUnknown = format === undefined && !isModule(file)
  if ((isUnknown || !(await files.isFile(file))) && (await isFolder(file)))
    return fail('a folder', 'This is a folder; name the config file in it')
  if (isUnknown) return fail('a file that is neither TypeScript, JavaScript, JSON, YAML nor TOML')
  if (await files.isLocked(dirname(file)))
    return fail('a folder that cannot be entered', 'This user has no access to its folder')
  if (!(await files.isFile(file))) return fail('no such file', 'There is no such file')
  try {
    const text = await files.readText(file)
    const document = await (format === undefined ? loadModule(file, text) : parseConfigDocument(text, format, file))
    // An editor that saves slowly leaves the file empty for a moment. That must not stop all servers.
    return document.ok && document.isEmpty
      ? fail(
          format === 'toml'
            ? 'an empty file; write [discovery] for an empty config'
            : 'an empty file; write {} for an empty config',
        )
      : document
  } catch (error) {
    return fail(readFailure(error))
  }
}

function ownGateway({ home, env, ownUrls }: LoadOptions, origin: ConfigOrigin, http: Config['http']): OwnGateway {
  return {
    urls: ownUrls?.(http),
    configs: configChain(origin, env),
    home,
    isNested: parentConfigs(env).length > 0,
  }
}

function configWarnings(
  { config, entries, sources, problems }: ParsedConfig,
  { origin, project, others }: FoundConfig,
): ConfigProblem[] {
  // A warning, because the servers that a user misses are often in the unused file.
  const unused = others.map(({ file: other, first }) => {
    const message = `Not used: ${first} has precedence`
    return fileProblem(other, { severity: 'warning', expected: 'one config file', found: 'another', message })
  })
  if (origin.kind === 'defaults') return unused
  const { discovery, plugins } = config
  const sourceCount = entries.servers.length + sources.length + (plugins?.sources?.length ?? 0)
  if (!discovery.enabled || sourceCount + problems.length > 0 || project !== undefined) return unused
  const message =
    "There is nothing to serve. Add servers to 'servers', or add clients to 'sources' to import their servers"
  const finding = { expected: "'servers' or 'sources'", found: 'neither', message }
  return [...unused, problemAt({ file: origin.file, path: ['discovery'] }, { severity: 'warning', ...finding })]
}
