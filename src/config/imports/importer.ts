// The importer seam: where a client keeps its servers, and how they read in our form.

import type { z } from 'zod'
import type { Dialect } from '../dialect.ts'
import { type Format, formatOf, parseDocument } from '../document.ts'
import { type EntryFormat, findKey, readEntries } from '../entries.ts'
import { resolveTemplatePath } from '../paths.ts'
import { type ConfigProblem, isRecord, type Place, problemAt, shapeOf } from '../problem.ts'
import type { OwnGateway } from '../self.ts'
import type { ServerConfig, ToolRule } from '../server-config.ts'
import { type EntryPlace, type EntryResult, joinResults, nothing } from '../server-entry.ts'
import type { ClientWriter } from './client-writer.ts'

/** All that the paths of a client depend on. */
export interface ImportEnvironment {
  readonly home: string
  readonly cwd: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

export type ImportScope = 'user' | 'project'

export interface ClientFile {
  readonly path: string
  /** A project's files come with the project: someone else may have written them. */
  readonly scope: ImportScope
}

export interface ImportContext {
  readonly home: string
  readonly cwd: string
  readonly platform: NodeJS.Platform
  /** This gateway: an entry that runs it is left out. */
  readonly own?: OwnGateway | undefined
}

export interface ImportResult {
  readonly servers: readonly ServerConfig[]
  /** The client's allow and deny lists: they only ever disable. */
  readonly rules: readonly ToolRule[]
  readonly problems: readonly ConfigProblem[]
  readonly refused?: readonly string[] | undefined
}

export interface Importer {
  /** As a source names it: `claude-desktop`. */
  readonly name: string
  /** In the order in which they are tried; of each scope the first that says anything counts. */
  paths(environment: ImportEnvironment): readonly ClientFile[]
  /** Never fails: what cannot be read is a problem. */
  parse(text: string, path: string, context: ImportContext): Promise<ImportResult>
  /** How the gateway is put into the client; left out where there is no client behind it. */
  readonly writer?: ClientWriter
}

/** What a client's document says, before its entries are read. */
export interface DocumentPlan {
  /** Where entries are, with the way to them. */
  readonly sections: readonly Section[]
  /** Servers that the document turns off elsewhere than in their entries. */
  isDisabled?(name: string): boolean
  /** Tools of a server that the document turns off elsewhere than in its entry. */
  rulesOf?(server: ServerConfig): readonly ToolRule[]
  readonly problems?: readonly ConfigProblem[]
}

export interface Section {
  readonly path: readonly string[]
  readonly entries: unknown
}

export type DocumentRecord = Readonly<Record<string, unknown>>

export function defineImporter<S extends z.ZodObject>(definition: {
  readonly name: string
  paths(environment: ImportEnvironment): readonly ClientFile[]
  /** Left out: by the file's ending, else JSON. */
  readonly format?: Format
  plan(document: DocumentRecord, context: ImportContext, place: Place): DocumentPlan
  readonly entry: Pick<EntryFormat<S>, 'schema' | 'fields'>
  dialect(context: ImportContext, document: DocumentRecord): Dialect
  readonly writer: ClientWriter
}): Importer {
  const { name, entry, writer } = definition
  const format: EntryFormat<S> = { ...entry, unknownKeys: 'warning', anySpelling: true }
  return {
    name,
    writer,
    paths: (environment) => definition.paths(environment),
    async parse(text, path, context) {
      const opened = await openDocument(text, path, definition.format)
      if (!opened.ok) return nothing([opened.problem])
      const { document } = opened
      const plan = definition.plan(document, context, { file: path, path: [] })
      const place = entryPlace(name, path, context, definition.dialect(context, document))
      const read = joinResults(
        plan.sections.map((section) => readEntries(section.entries, format, { ...place, path: section.path })),
      )
      return applyPlan(read, plan)
    },
  }
}

export function entryPlace(source: string, file: string, context: ImportContext, dialect: Dialect): EntryPlace {
  return {
    file,
    path: [],
    source,
    dialect,
    own: context.own,
    resolvePath: (path) => resolveTemplatePath(path, context),
  }
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
    problem: problemAt({ file: path, path: [] }, { expected: 'an object', found: shapeOf(parsed.value) }),
  }
}

/** The entries under the first of these keys that is there, whatever its spelling. */
export function sectionOf(document: DocumentRecord, ...names: readonly string[]): Section[] {
  for (const name of names) {
    const key = findKey(document, name)
    if (key !== undefined) return [{ path: [key], entries: document[key] }]
  }
  return []
}

function applyPlan(read: EntryResult, { isDisabled, rulesOf, problems = [] }: DocumentPlan): ImportResult {
  const servers = read.servers.map((server) =>
    isDisabled?.(server.name) === true ? { ...server, enabled: false } : server,
  )
  const rules = servers.flatMap((server) => rulesOf?.(server) ?? [])
  return { ...read, servers, rules: [...read.rules, ...rules], problems: [...problems, ...read.problems] }
}
