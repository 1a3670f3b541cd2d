// Converts one server entry of a file into our format, or returns the problems with it.

import { authFindings } from './auth-findings.ts'
import type { Dialect } from './dialect.ts'
import {
  type ConfigFinding,
  type ConfigLocation,
  type ConfigProblem,
  inside,
  pathText,
  problemAt,
  shapeOf,
} from './problem.ts'
import { hasReferences, isPersonal, mapAuth, referencedNames } from './references.ts'
import { DEFAULT_CONFIG, isAtOwnAddress, isOwnEntry, type OwnGateway, startedGateway } from './self.ts'
import type { Connection, DeclaredTool, HttpAuth, InheritEnv, Origin, ServerConfig, ToolRule } from './server-config.ts'
import { rulesOfLists, type ToolLists } from './tool-lists.ts'

/** The fields that all formats have in common, under our names. */
export interface EntryFields extends ToolLists {
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly type?: string | undefined
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly envFile?: string | undefined
  readonly cwd?: string | undefined
  readonly inheritEnv?: InheritEnv | undefined
  readonly allowEnv?: readonly string[] | undefined
  readonly url?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly auth?: HttpAuth | undefined
  readonly enabled?: boolean | undefined
  readonly timeoutMs?: number | undefined
  readonly idleMs?: number | undefined
  readonly tools?: readonly DeclaredTool[] | undefined
  readonly includeContext?: boolean | undefined
  readonly perPrincipal?: boolean | undefined
}

/** The location of an entry, and how to interpret its values. */
export interface EntryLocation extends ConfigLocation {
  /** `config`, `project` for the config of the current folder, or the name of the client. */
  readonly source: string
  readonly dialect: Dialect
  /** This gateway. An entry that starts it is left out. */
  readonly own?: OwnGateway | undefined
  /** Resolves a path in the entry: `~` and relative paths. */
  resolvePath(path: string): string
}

/** The key of a field in the file, if it differs from ours. Used in problems. */
export type FieldKeys = Readonly<Partial<Record<keyof EntryFields, readonly string[]>>>

export interface EntryResult {
  readonly servers: readonly ServerConfig[]
  readonly rules: readonly ToolRule[]
  readonly problems: readonly ConfigProblem[]
  /** Names of servers with an unreadable security setting. They are not served, from this file or a later one. */
  readonly refused?: readonly string[]
}

type Kind = Connection['type']

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['stdio', 'stdio'],
  ['local', 'stdio'],
  ['http', 'http'],
  ['streamablehttp', 'http'],
  ['remote', 'http'],
  ['sse', 'sse'],
])
const KIND_NAMES = "'stdio', 'http' or 'sse'"
const MAX_NAME_LENGTH = 200

export function buildServer(
  name: string,
  fields: EntryFields,
  location: EntryLocation,
  keys: FieldKeys = {},
): EntryResult {
  const problems: ConfigProblem[] = []
  const folderVariables = new Set<string>()
  const dialect: Dialect = (text) => {
    const translation = location.dialect(text)
    for (const variable of translation.folderVariables ?? []) folderVariables.add(variable)
    return translation
  }
  const connection = connectionOf(fields, { ...location, dialect }, keys, problems)
  if (!isName(name)) {
    problems.push(
      problemAt(location, { expected: 'a name of 1 to 200 printable characters', found: 'an invalid name' }),
    )
  }
  if (connection === undefined || problems.some(({ severity }) => severity === 'error')) return noServers(problems)
  const personal = fields.perPrincipal === true ? undefined : referencedNames(connection).find(isPersonal)
  if (personal !== undefined) return noServers([...problems, problemAt(location, sharedBut(name, personal))])
  const refused = refusedGateway(name, connection, location)
  if (refused !== undefined) return noServers([...problems, problemAt(location, refused)])

  const origin: Origin = { source: location.source, file: location.file, path: pathText(location.path) }
  const { title, description, enabled = true, timeoutMs, idleMs, tools, includeContext, perPrincipal } = fields
  const server: ServerConfig = {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    connection,
    enabled,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(tools === undefined ? {} : { tools }),
    ...(includeContext === undefined ? {} : { includeContext }),
    ...(perPrincipal === true ? { perPrincipal } : {}),
    ...(folderVariables.size === 0 ? {} : { folderVariables: [...folderVariables] }),
    origin,
  }
  return { servers: [server], rules: rulesOfLists(name, fields, origin), problems }
}

/**
 * Returns why an entry that starts a gateway is not served. In our own config, another gateway is a server like any
 * other. In the file of a client, the entry with our name was written by `toolcrib install`.
 */
function refusedGateway(name: string, connection: Connection, location: EntryLocation): ConfigFinding | undefined {
  const { urls, configs = [], home, isNested = false } = location.own ?? {}
  const started = startedGateway(connection, home)
  const isThis = isAtOwnAddress(connection, urls) || (started?.config !== undefined && configs.includes(started.config))
  if (!isOfClient(location)) return isThis ? startsItself(name) : undefined
  if (isThis) return itself(name)
  const isInstalled = isOwnEntry(name, connection)
  if (started === undefined) return isInstalled ? itself(name) : undefined
  const hasOtherConfig = started.config !== undefined && started.config !== DEFAULT_CONFIG
  if (!hasOtherConfig || location.own === undefined) return isInstalled || !hasOtherConfig ? itself(name) : undefined
  return isInstalled || isNested ? anotherGateway(name) : undefined
}

/** Whether the file belongs to a client. Our own files and custom files are written for this gateway. */
function isOfClient({ source }: EntryLocation): boolean {
  return source !== 'config' && source !== 'project' && source !== 'custom'
}

export function noServers(problems: readonly ConfigProblem[], refused: readonly string[] = []): EntryResult {
  return { servers: [], rules: [], problems, ...(refused.length === 0 ? {} : { refused }) }
}

export function joinResults(results: readonly EntryResult[]): EntryResult {
  const refused = results.flatMap((result) => result.refused ?? [])
  return {
    servers: results.flatMap((result) => result.servers),
    rules: results.flatMap((result) => result.rules),
    problems: results.flatMap((result) => result.problems),
    ...(refused.length === 0 ? {} : { refused }),
  }
}

function connectionOf(
  fields: EntryFields,
  location: EntryLocation,
  keys: FieldKeys,
  problems: ConfigProblem[],
): Connection | undefined {
  const report = (field: keyof EntryFields | undefined, finding: ConfigFinding, ...deeper: readonly PropertyKey[]) => {
    const path = field === undefined ? [] : [...(keys[field] ?? [field]), ...deeper]
    problems.push(problemAt(inside(location, ...path), finding))
  }
  const translate = (text: string, field: keyof EntryFields, ...deeper: readonly PropertyKey[]) => {
    const translation = location.dialect(text)
    for (const finding of translation.findings) report(field, finding, ...deeper)
    return translation.text
  }
  const translateValues = (field: 'env' | 'headers') =>
    Object.fromEntries(Object.entries(fields[field] ?? {}).map(([key, text]) => [key, translate(text, field, key)]))

  const kind = kindOf(fields)
  if (typeof kind === 'object') {
    report(kind.field, kind.finding)
    return undefined
  }
  if (kind !== 'stdio') {
    const url = translate(fields.url ?? '', 'url')
    if (!isWebAddress(url)) report('url', { expected: 'an http or https address', found: shapeOf(fields.url) })
    const auth = fields.auth === undefined ? undefined : mapAuth(fields.auth, (text) => translate(text, 'auth'))
    for (const [key, finding] of auth === undefined ? [] : authFindings(auth)) report('auth', finding, key)
    return { type: kind, url, headers: translateValues('headers'), ...(auth === undefined ? {} : { auth }) }
  }
  if (fields.auth !== undefined) {
    report('auth', { expected: "a server with a 'url'", found: "a server with a 'command'" })
  }
  const { args = [], cwd, envFile, inheritEnv, allowEnv } = fields
  const program = translate(fields.command ?? '', 'command')
  return {
    type: 'stdio',
    command: program.startsWith('~') ? location.resolvePath(program) : program,
    args: args.map((text, index) => translate(text, 'args', index)),
    env: translateValues('env'),
    ...(cwd === undefined ? {} : { cwd: location.resolvePath(translate(cwd, 'cwd')) }),
    ...(envFile === undefined ? {} : { envFile: location.resolvePath(translate(envFile, 'envFile')) }),
    ...(inheritEnv === undefined ? {} : { inheritEnv }),
    ...(allowEnv === undefined ? {} : { allowEnv }),
  }
}

function kindOf({ type, command, url }: EntryFields): Kind | { field?: keyof EntryFields; finding: ConfigFinding } {
  const hasCommand = command !== undefined && command.trim() !== ''
  const hasUrl = url !== undefined && url.trim() !== ''
  if (type === undefined) {
    if (hasCommand && hasUrl) return { finding: { expected: "either 'command' or 'url'", found: 'both' } }
    if (hasCommand) return 'stdio'
    if (!hasUrl) return { finding: { expected: "'command' or 'url'", found: 'neither' } }
    return /\/sse\/?(?:[?#]|$)/.test(url) ? 'sse' : 'http'
  }
  const kind = KINDS.get(type.toLowerCase().replaceAll(/[-_]/g, ''))
  if (kind === undefined) return { field: 'type', finding: { expected: KIND_NAMES, found: wordOf(type) } }
  if (kind === 'stdio' && !hasCommand) return { field: 'command', finding: missing('a command', command) }
  if (kind !== 'stdio' && !hasUrl) return { field: 'url', finding: missing('an address', url) }
  return kind
}

/** Quotes the text only if it is a single word, because any other text may be a secret. */
function wordOf(text: string): string {
  return /^[a-z-]{1,20}$/i.test(text) ? `'${text}'` : shapeOf(text)
}

function missing(expected: string, value: string | undefined): ConfigFinding {
  return { expected, found: shapeOf(value?.trim()) }
}

/** A process that all people share cannot have the value of one of them. */
function sharedBut(name: string, variable: string): ConfigFinding {
  return {
    expected: `'perPrincipal: true'`,
    found: `a reference to '${variable}'`,
    message: `'${name}' refers to '${variable}', which each person has a value of. Set perPrincipal to true, so that each person has a server of their own`,
  }
}

function itself(name: string): ConfigFinding {
  return {
    severity: 'info',
    expected: 'a server other than this gateway',
    found: 'toolcrib itself',
    message: `'${name}' runs this gateway and is left out`,
  }
}

function startsItself(name: string): ConfigFinding {
  return {
    severity: 'warning',
    expected: 'a server other than this gateway',
    found: 'toolcrib itself',
    message: `'${name}' runs this gateway with the same config and is left out, because it would start itself again. Give it another config with --config, or remove it`,
    isAboutServing: true,
  }
}

function anotherGateway(name: string): ConfigFinding {
  return {
    severity: 'warning',
    expected: 'a server other than a gateway',
    found: 'toolcrib with another config',
    message: `'${name}' runs a Toolcrib gateway with another config and is left out. To serve it, add it to 'discovery.servers'`,
    isAboutServing: true,
  }
}

function isName(name: string): boolean {
  return name.trim() !== '' && name.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(name)
}

function isWebAddress(url: string): boolean {
  // The value of a reference is not known yet.
  if (hasReferences(url)) return true
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}
