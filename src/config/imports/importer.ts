// An importer finds a client's config files, reads their servers, and knows how to add the gateway to the files.

import { z } from 'zod'
import { isRecord } from '../../core/is-record.ts'
import { check } from '../check.ts'
import { type Dialect, ownDialect } from '../dialect.ts'
import { type Format, formatOf, parseDocument } from '../document.ts'
import { type EntryFormat, findKey, readEntries } from '../entries.ts'
import { type PathContext, pathOn, resolveTemplatePath } from '../paths.ts'
import { type ConfigLocation, type ConfigProblem, fileProblem, inside, shapeOf } from '../problem.ts'
import type { OwnGateway } from '../self.ts'
import type { ServerConfig, ToolRule } from '../server-config.ts'
import { type EntryLocation, type ImportResult, joinResults, noServers } from '../server-entry.ts'
import { commonFields, commonSchema } from './mcp-servers.ts'

/** Everything that the paths of a client depend on. */
export interface ImportEnvironment {
  /** The home directory of the user. */
  readonly home: string
  /** The current folder. */
  readonly cwd: string
  /** `process.platform`. */
  readonly platform: NodeJS.Platform
  /** The variables of this process. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export type ImportScope = 'user' | 'project'

/** A config file of a client. */
export interface ClientFile {
  /** The absolute path of the file. It may not exist. */
  readonly path: string
  /** Files with the scope `project` belong to a project, so someone else may have written them. */
  readonly scope: ImportScope
}

export interface ImportContext extends Omit<ImportEnvironment, 'env'> {
  /** This gateway. An entry that starts it is left out. */
  readonly own?: OwnGateway | undefined
}

/** Finds and reads the config files of one client. */
export interface Importer<Name extends string = string> {
  /** The name that sources in a config use, such as `claude-desktop`. */
  readonly name: Name
  /** The files in order of precedence. In each scope, the first file that has servers or problems is used. */
  paths(environment: ImportEnvironment): readonly ClientFile[]
  /** Never rejects. Content that cannot be read is returned as a problem. */
  parse(text: string, path: string, context: ImportContext): Promise<ImportResult>
  /** How to install the gateway into the client. Undefined if `toolcrib install` does not support the client. */
  readonly writer?: ClientWriter
}

/** The command with which a client starts the gateway. */
export interface Launch {
  /** The program. */
  readonly command: string
  /** Its arguments. */
  readonly args: readonly string[]
}

/** The current folder and platform. Some clients keep servers per folder. */
export interface WriterContext extends Pick<ImportEnvironment, 'cwd' | 'platform'> {
  /** Other folders for which the same file contains servers. */
  readonly folders?: readonly string[] | undefined
}

/** Describes how a client stores servers in its own file: under which keys, and in which format. */
export interface ClientWriter {
  /** The format of the file. */
  readonly format: 'json' | 'toml'
  /** The paths of the keys that contain servers. A key may not exist yet. A new server is added under the first one. */
  sections(
    document: Readonly<Record<string, unknown>>,
    context: WriterContext,
  ): readonly [readonly string[], ...(readonly string[])[]]
  /** Our entry in the format of the client. */
  entry(launch: Launch): Readonly<Record<string, unknown>>
}

export function isImporter(value: unknown): value is Importer {
  if (!isRecord(value) || typeof value.name !== 'string' || value.name === '') return false
  return typeof value.paths === 'function' && typeof value.parse === 'function'
}

/** The server entries of a client's document, and the settings outside of them that disable servers or tools. */
export interface DocumentPlan {
  /** The parts of the document that contain server entries. */
  readonly sections: readonly Section[]
  /** Whether the document disables a server outside of its entry. */
  isDisabled?(name: string): boolean
  /** The tools of a server that the document disables outside of its entry, as rules. */
  rulesOf?(server: ServerConfig): readonly ToolRule[]
  /** Problems outside of the entries. */
  readonly problems?: readonly ConfigProblem[]
}

export interface Section {
  /** The keys from the root of the document to the entries. */
  readonly path: readonly string[]
  /** An object with the entries by name. Not checked yet. */
  readonly entries: unknown
}

export type DocumentRecord = Readonly<Record<string, unknown>>

/** The argument of `defineImporter`. `S` is the schema of an entry in the file of the client. */
export interface ImporterDefinition<S extends z.ZodObject, Name extends string = string>
  extends Pick<Importer<Name>, 'name' | 'paths' | 'writer'> {
  /** Default: the format of the file extension, or else JSON. */
  readonly format?: Format
  /** Says where the server entries of a document are. `location` is the place of the document, for problems. */
  plan(document: DocumentRecord, context: ImportContext, location: ConfigLocation): DocumentPlan
  /** The format of an entry. Default: `command, args, env` or `url, headers`. */
  readonly entry?: Pick<EntryFormat<S>, 'schema' | 'fields'>
  /** How the client writes references to variables. Default: `${VAR}`, as in our own config. */
  dialect?(context: ImportContext, document: DocumentRecord): Dialect
}

/**
 * Defines an importer. By default the entries have the format that most clients share: `command, args, env` or
 * `url, headers`.
 *
 * @example
 * ```ts
 * const acme = defineImporter({
 *   name: 'acme',
 *   paths: ({ home }) => [{ path: `${home}/.acme/settings.json`, scope: 'user' }],
 *   plan: ({ servers }) => ({ sections: [{ path: ['servers'], entries: servers }] }),
 * })
 * ```
 */
export function defineImporter<S extends z.ZodObject = typeof commonSchema, const Name extends string = string>(
  definition: ImporterDefinition<S, Name>,
): Importer<Name> {
  const { name, entry, writer, dialect = () => ownDialect } = definition
  const keyRules = { unknownKeys: 'warning', anySpelling: true } as const
  const read = (entries: unknown, location: EntryLocation): ImportResult =>
    entry === undefined
      ? readEntries(entries, { schema: commonSchema, fields: commonFields, ...keyRules }, location)
      : readEntries(entries, { ...entry, ...keyRules }, location)
  return {
    name,
    ...(writer === undefined ? {} : { writer }),
    paths: (environment) => definition.paths(environment),
    async parse(text, path, context) {
      const opened = await openDocument(text, path, definition.format)
      if (!opened.ok) return noServers([opened.problem])
      const { document } = opened
      const plan = definition.plan(document, context, { file: path, path: [] })
      const location = entryLocation(name, path, context, dialect(context, document))
      const results = plan.sections.map((section) => read(section.entries, { ...location, path: section.path }))
      return applyPlan(joinResults(results), plan)
    },
  }
}

/** The location of the entries of a file. `source` is the name of the importer, `config` or `project`. */
export function entryLocation(
  source: string,
  file: string,
  context: PathContext & Pick<ImportContext, 'own'>,
  dialect: Dialect,
): EntryLocation {
  const { own } = context
  return { file, path: [], source, dialect, own, resolvePath: (path) => resolveTemplatePath(path, context) }
}

export async function openDocument(
  text: string,
  path: string,
  format?: Format,
): Promise<
  { readonly ok: true; readonly document: DocumentRecord } | { readonly ok: false; readonly problem: ConfigProblem }
> {
  const parsed = await parseDocument(text, format ?? formatOf(path) ?? 'json', path)
  if (!parsed.ok) return parsed
  if (isRecord(parsed.value)) return { ok: true, document: parsed.value }
  return {
    ok: false,
    problem: fileProblem(path, { expected: 'an object', found: shapeOf(parsed.value) }),
  }
}

/** Finds the files of a client that are always at the same place below the home folder or the current folder. */
export function filesBelow(inHome: readonly string[], inProject: readonly string[] = []): Importer['paths'] {
  return ({ home, cwd, platform }) => {
    const { join } = pathOn(platform)
    return [
      ...inHome.map((path) => ({ path: join(home, path), scope: 'user' as const })),
      ...inProject.map((path) => ({ path: join(cwd, path), scope: 'project' as const })),
    ]
  }
}

/** The entries under the first of these keys that exists, in any spelling. */
export function sectionOf(document: DocumentRecord, ...names: readonly string[]): Section[] {
  for (const name of names) {
    const key = findKey(document, name)
    if (key !== undefined) return [{ path: [key], entries: document[key] }]
  }
  return []
}

export const plainEntry: ClientWriter['entry'] = ({ command, args }) => ({ command, args })
export const typedEntry: ClientWriter['entry'] = ({ command, args }) => ({ type: 'stdio', command, args })

/** A writer for a JSON document with all servers under one key. */
export function jsonWriter(key: string, entry: ClientWriter['entry'] = plainEntry): ClientWriter {
  return { format: 'json', sections: (document) => [[findKey(document, key) ?? key]], entry }
}

interface NameList {
  /** Undefined if the list is absent, or if it cannot be read. In the second case there are `problems`. */
  readonly names?: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

/** Reads a list of names in the settings of a client, such as the servers to leave out. */
export function readNames(record: Readonly<Record<string, unknown>>, name: string, location: ConfigLocation): NameList {
  const key = findKey(record, name)
  if (key === undefined || record[key] === undefined || record[key] === null) return { problems: [] }
  const { value, problems } = check(z.array(z.string()), record[key], inside(location, key))
  return value === undefined ? { problems } : { names: value, problems }
}

function applyPlan(read: ImportResult, { isDisabled, rulesOf, problems = [] }: DocumentPlan): ImportResult {
  const servers = read.servers.map((server) =>
    isDisabled?.(server.name) === true ? { ...server, enabled: false } : server,
  )
  const rules = servers.flatMap((server) => rulesOf?.(server) ?? [])
  return { ...read, servers, rules: [...read.rules, ...rules], problems: [...problems, ...read.problems] }
}
