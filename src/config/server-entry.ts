// Converts one server entry of a file into our format, or returns the problems with it.

import { defined } from '../core/defined.ts'
import type { ConnectionFields, ConnectionKind } from './connection-kind.ts'
import { KIND_NAMES, NAMED_KINDS, referencedNames } from './connection-kinds.ts'
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
import { isPersonal } from './references.ts'
import { DEFAULT_CONFIG, isAtOwnAddress, isOwnEntry, type OwnGateway, startedGateway } from './self.ts'
import type { Connection, Origin, ServerConfig, ToolRule } from './server-config.ts'
import { rulesOfLists, type ToolLists } from './tool-lists.ts'

/** The fields of a server that are not part of its connection. */
type ServerFields = Pick<
  ServerConfig,
  'title' | 'description' | 'enabled' | 'timeoutMs' | 'idleMs' | 'tools' | 'includeContext' | 'perPrincipal'
>

/** The fields of an entry under our names. Every format is converted to them. `enabled` is true by default. */
export type EntryFields = ConnectionFields &
  ToolLists & { readonly [Key in keyof ServerFields]?: ServerFields[Key] | undefined }

/** The location of an entry, and how to interpret its values. */
export interface EntryLocation extends ConfigLocation {
  /** `config`, `project` for the config of the current folder, or the name of the importer. */
  readonly source: string
  readonly dialect: Dialect
  /** This gateway and those that started it. Entries that lead back to one of them are left out. */
  readonly own?: OwnGateway | undefined
  /** Resolves a path in the entry: `~` and relative paths. */
  resolvePath(path: string): string
}

/** The key of a field in the file, if it differs from ours. Used in problems. */
export type FieldKeys = Readonly<Partial<Record<keyof EntryFields, readonly string[]>>>

/** The servers and rules of one file or entry, and the problems with it. */
export interface ImportResult {
  /** The servers that can be used. */
  readonly servers: readonly ServerConfig[]
  /** The allow and deny lists of the entries as rules. These rules only disable. */
  readonly rules: readonly ToolRule[]
  /** Errors, warnings and notes about the file, each with its location. */
  readonly problems: readonly ConfigProblem[]
  /** Names of servers with an unreadable security setting. They are not served, from this file or a later one. */
  readonly refused?: readonly string[] | undefined
}

const MAX_NAME_LENGTH = 200

export function buildServer(
  name: string,
  fields: EntryFields,
  location: EntryLocation,
  keys: FieldKeys = {},
): ImportResult {
  const problems: ConfigProblem[] = []
  const folderVariables = new Set<string>()
  const dialect: Dialect = (text) => {
    const translation = location.dialect(text)
    for (const variable of translation.folderVariables ?? []) folderVariables.add(variable)
    return translation
  }
  const connection = connectionOf(fields, { ...location, dialect }, keys, problems)
  const fault = nameFault(name)
  if (fault !== undefined) {
    const expected = `a name of 1 to ${MAX_NAME_LENGTH} printable characters`
    problems.push(problemAt(location, { expected, found: fault }))
  }
  if (connection === undefined || problems.some(({ severity }) => severity === 'error')) return noServers(problems)
  const personal = fields.perPrincipal === true ? undefined : referencedNames(connection).find(isPersonal)
  if (personal !== undefined) return noServers([...problems, problemAt(location, needsPerPrincipal(name, personal))])
  const refused = refusedGateway(name, connection, location)
  if (refused !== undefined) return noServers([...problems, problemAt(location, refused)])

  const origin: Origin = { source: location.source, file: location.file, path: pathText(location.path) }
  const { title, description, enabled = true, timeoutMs, idleMs, tools, includeContext } = fields
  const server: ServerConfig = defined({
    name,
    title,
    description,
    connection,
    enabled,
    timeoutMs,
    idleMs,
    tools,
    includeContext,
    perPrincipal: fields.perPrincipal === true ? true : undefined,
    folderVariables: folderVariables.size === 0 ? undefined : [...folderVariables],
    origin,
  })
  return { servers: [server], rules: rulesOfLists(name, fields, origin), problems }
}

/**
 * Returns why an entry that leads to a gateway is not served. In our own config, another gateway is a server like any
 * other. In the file of a client, the entry with our name was written by `toolcrib install`. The cases are listed in
 * docs/decisions/024-gateways-behind-a-gateway.md.
 */
function refusedGateway(name: string, connection: Connection, location: EntryLocation): ConfigFinding | undefined {
  const { urls, configs = [], home, isNested = false } = location.own ?? {}
  const started = startedGateway(connection, home)
  const isInUse = started?.config !== undefined && configs.includes(started.config)
  if (!isOfClient(location)) {
    if (isAtOwnAddress(connection, urls)) return leftOut(name, 'warning', AT_OWN_ADDRESS, 'Remove it')
    if (isInUse) return leftOut(name, 'warning', CONFIG_IN_USE, 'Give it another config with --config, or remove it')
    // The gateway that started this one may have the same entry.
    const isUnknown = started !== undefined && started.config === undefined && started.isInContainer !== true
    if (isNested && isUnknown) return leftOut(name, 'warning', CONFIG_UNKNOWN, 'Give it a config with --config')
    return undefined
  }
  if (isAtOwnAddress(connection, urls)) return leftOut(name, 'info', AT_OWN_ADDRESS)
  const hasOwnConfig = started?.config !== undefined && started.config !== DEFAULT_CONFIG
  if (isOwnEntry(name, connection)) {
    // `own` is absent if a command such as `install` reads the file: it does not know which config a gateway would use.
    const isOther = hasOwnConfig && !isInUse && location.own !== undefined
    return isOther ? leftOut(name, 'warning', OTHER_CONFIG, TO_SERVE_IT) : leftOut(name, 'info', INSTALLED)
  }
  if (started === undefined) return undefined
  if (isInUse) return leftOut(name, 'info', CONFIG_IN_USE)
  if (started.config === DEFAULT_CONFIG) return leftOut(name, 'info', NO_CONFIG)
  return isNested ? leftOut(name, 'warning', STARTED_BY_GATEWAY, TO_SERVE_IT) : undefined
}

const AT_OWN_ADDRESS = 'it leads to the address of this gateway'
const CONFIG_IN_USE =
  'it starts a gateway with a config that this gateway, or a gateway above it, already uses, so gateways would start each other without end'
const CONFIG_UNKNOWN =
  'its config is not known here, and another gateway started this one, so the two could start each other without end'
const INSTALLED = 'it has the name of the entry that `toolcrib install` writes'
const NO_CONFIG = 'it starts Toolcrib without --config, which counts as this gateway'
const OTHER_CONFIG = 'it is the gateway of another setup'
const STARTED_BY_GATEWAY =
  'another gateway started this one, and such a gateway imports no further gateways from clients'
const TO_SERVE_IT = "To serve it, add it to 'discovery.servers' of your config"

function leftOut(name: string, severity: 'info' | 'warning', why: string, todo?: string): ConfigFinding {
  return {
    severity,
    expected: 'a server other than a gateway',
    found: 'a Toolcrib gateway',
    message: `'${name}' is left out: ${why}${todo === undefined ? '' : `. ${todo}`}`,
    ...(severity === 'warning' ? { isAboutServing: true } : {}),
  }
}

/** Whether the file belongs to a client. Our own files and custom files are written for this gateway. */
function isOfClient({ source }: EntryLocation): boolean {
  return source !== 'config' && source !== 'project' && source !== 'custom'
}

export function noServers(problems: readonly ConfigProblem[], refused: readonly string[] = []): ImportResult {
  return { servers: [], rules: [], problems, ...(refused.length === 0 ? {} : { refused }) }
}

export function joinResults(results: readonly ImportResult[]): ImportResult {
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
  const kind = findKind(fields)
  if ('finding' in kind) {
    report(kind.field, kind.finding)
    return undefined
  }
  return kind.build(fields, {
    report,
    translate,
    translateValues: (field) =>
      Object.fromEntries(Object.entries(fields[field] ?? {}).map(([key, text]) => [key, translate(text, field, key)])),
    resolvePath: (path) => location.resolvePath(path),
  })
}

type KindFault = { readonly field?: keyof EntryFields; readonly finding: ConfigFinding }

function findKind(fields: EntryFields): ConnectionKind<Connection> | KindFault {
  const { type, command = '', url = '' } = fields
  const kinds = NAMED_KINDS.map(([, kind]) => kind)
  const textFor = ({ field }: ConnectionKind<Connection>) => fields[field]?.trim() ?? ''
  if (type === undefined) {
    if (command.trim() !== '' && url.trim() !== '')
      return { finding: { expected: "either 'command' or 'url'", found: 'both' } }
    const meant = kinds.findLast((kind) => textFor(kind) !== '' && kind.isMeant(fields[kind.field] ?? ''))
    return meant ?? { finding: { expected: "'command' or 'url'", found: 'neither' } }
  }
  const word = type.toLowerCase().replaceAll(/[-_]/g, '')
  const kind = kinds.find(({ words }) => words.includes(word))
  if (kind === undefined) return { field: 'type', finding: { expected: KIND_NAMES, found: quoteWord(type) } }
  if (textFor(kind) !== '') return kind
  return { field: kind.field, finding: { expected: kind.fieldText, found: shapeOf(fields[kind.field]?.trim()) } }
}

/** Quotes the text only if it is a single word, because any other text may be a secret. */
function quoteWord(text: string): string {
  return /^[a-z-]{1,20}$/i.test(text) ? `'${text}'` : shapeOf(text)
}

/** A process that all people share cannot have the value of one of them. */
function needsPerPrincipal(name: string, variable: string): ConfigFinding {
  return {
    expected: `'perPrincipal: true'`,
    found: `a reference to '${variable}'`,
    message: `'${name}' refers to '${variable}', and each person has their own value for it. Set perPrincipal to true, so that each person has a server of their own`,
  }
}

/** Describes what is wrong with a name. Undefined if it can be used. */
function nameFault(name: string): string | undefined {
  if (name.trim() === '') return 'an empty name'
  if (name.length > MAX_NAME_LENGTH) return `a name of ${name.length} characters`
  return /\p{Cc}/u.test(name) ? 'a name with a control character' : undefined
}
