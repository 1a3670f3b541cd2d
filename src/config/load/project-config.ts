// The project config of the current folder. It adds servers and rules to those of the user, but only after an approval.

import { isRecord } from '../../core/is-record.ts'
import {
  type ApprovableFile,
  type Approval,
  envFileProblem,
  judgeFile,
  readEnvFiles,
  sha256OfAll,
  unapprovedProblem,
} from '../approval.ts'
import { discoverySettings, gatewaySettings } from '../config.ts'
import { type ConfigFiles, MAX_UNPARSED_BYTES, readFailure } from '../config-files.ts'
import { referencedNames } from '../connection-kinds.ts'
import { ownDialect } from '../dialect.ts'
import { type Document, formatOf, parseConfigDocument } from '../document.ts'
import { entryLocation, type ImportContext } from '../imports/importer.ts'
import { isModule } from '../load-module.ts'
import { type ParsedConfig, parseConfig } from '../parse-config.ts'
import { type ConfigProblem, faultText, fileProblem, problemAt, problemAtOrigin } from '../problem.ts'
import { programIn, type ServerConfig, type ToolRule } from '../server-config.ts'
import { noServers } from '../server-entry.ts'
import { type ProjectModule, readProjectModule, runProjectModule } from './project-module.ts'
import { baseFolders } from './source-requests.ts'

export interface ProjectContext extends ImportContext {
  readonly files: ConfigFiles
  readonly approved: readonly Approval[]
  /** Finds rules that cannot be read. A file with such a rule cannot be approved. */
  readonly findRuleProblems?: FindRuleProblems | undefined
}

export type FindRuleProblems = (rules: readonly ToolRule[], file: string) => readonly ConfigProblem[]

/** `invalid` means that the file is approved but has an error, so it is not used. */
type ProjectState = 'used' | 'unapproved' | 'changed' | 'refused' | 'unreadable' | 'invalid'

export interface ProjectReport {
  readonly file: string
  readonly state: ProjectState
  readonly isCode: boolean
  /** How many servers the file adds. */
  readonly servers: number
  /** When this text, or an earlier text of the file, was approved. */
  readonly at?: string
  /** The first reason why the file could not be used even with an approval. */
  readonly fault?: string
}

/** The servers, rules and sources that a project config adds, and its problems. */
export type ProjectAddition = Pick<ParsedConfig, 'entries' | 'rules' | 'sources' | 'problems'>

/** Apart from `problems`, the addition is empty unless the state in `report` is `used`. */
interface ProjectResult extends ProjectAddition {
  readonly report: ProjectReport
  /** Local files that belong to the config. */
  readonly parts: readonly string[]
}

/** The content of the file, as far as it is known without running code. */
interface ExaminedProject extends ApprovableFile {
  readonly text: string
  /** Undefined for a data file. */
  readonly code: ProjectModule | undefined
  /** Undefined for code, because its servers are known only when it runs. */
  readonly data: ProjectAddition | undefined
  readonly parts: ReadonlyMap<string, string | undefined>
  /** The variables that its servers may refer to after an approval. */
  readonly variables: readonly string[]
  /** If one of these is an error, the file cannot be used. */
  readonly problems: readonly ConfigProblem[]
}

export const NO_ADDITION: ProjectAddition = { entries: noServers([]), rules: [], sources: [], problems: [] }

export async function examineProject(file: string, context: ProjectContext): Promise<ExaminedProject> {
  const { files } = context
  const place = { path: file, realPath: files.realPath(file), folder: files.realPath(context.cwd) }
  try {
    const guarded = await files.readGuarded(file, isModule(file) ? MAX_UNPARSED_BYTES : undefined)
    const { text, realPath } = guarded
    const content = isModule(file)
      ? await examineCode(file, realPath, text, files)
      : await examineData(file, text, context)
    const own = guarded.refusal === undefined ? {} : { refusal: guarded.refusal, refusedPart: undefined }
    return { ...place, realPath, text, sha256: sha256OfAll(text, content.parts), ...content, ...own }
  } catch (error) {
    const problem = fileProblem(file, { expected: 'a config file', found: readFailure(error) })
    const none = { code: undefined, data: undefined, parts: new Map(), variables: [] }
    return { ...place, text: '', sha256: '', ...none, problems: [problem] }
  }
}

type ProjectContent = Pick<
  ExaminedProject,
  'code' | 'data' | 'parts' | 'variables' | 'problems' | 'refusal' | 'refusedPart'
>

async function examineCode(file: string, realPath: string, text: string, files: ConfigFiles): Promise<ProjectContent> {
  const code = await readProjectModule(realPath, text, files)
  const { parts, refusal, refusedPart, fault } = code
  const texts = [text, ...parts.values()].filter((one) => one !== undefined)
  const problems = fault === undefined ? [] : [moduleProblem(file, fault)]
  const variables = [...new Set(texts.flatMap(namesWritten))]
  return { code, data: undefined, parts, refusal, refusedPart, variables, problems }
}

async function examineData(file: string, text: string, context: ProjectContext): Promise<ProjectContent> {
  const document = await parseConfigDocument(text, formatOf(file) ?? 'json', file)
  const parsed = parseProject(document, file, context)
  const { servers, parts, refusal, refusedPart, ...read } = await readEnvFiles(parsed.entries.servers, context)
  const problems = [...parsed.problems, ...read.problems]
  const variables = new Set(parsed.entries.servers.flatMap(({ connection }) => referencedNames(connection)))
  const data = { ...parsed, entries: { ...parsed.entries, servers }, problems }
  return { code: undefined, data, parts, refusal, refusedPart, variables: [...variables], problems }
}

/** Returns what the project config adds. Runs its code only if exactly this text was approved. */
export async function useProject(file: string, context: ProjectContext): Promise<ProjectResult> {
  const examined = await examineProject(file, context)
  const { refusal, refusedPart, problems } = examined
  const report = { file, isCode: isModule(file), servers: 0 }
  const parts = [...examined.parts.keys()]
  // `examineProject` returns an empty hash for a file that cannot be read.
  if (examined.sha256 === '') {
    return { ...NO_ADDITION, problems, parts, report: { ...report, state: 'unreadable', ...firstFault(problems) } }
  }
  const judgement = judgeFile(examined, context.approved)
  const { state, at } = judgement
  const when = at === undefined ? {} : { at }
  if (state !== 'approved') {
    const servers = examined.data?.entries.servers.map(({ name }) => name) ?? []
    const { rules, entries } = examined.data ?? NO_ADDITION
    const unreadable = context.findRuleProblems?.([...rules, ...entries.rules], file) ?? []
    const fault = firstFault([...problems, ...unreadable])
    const problem = unapprovedProblem({ ...judgement, path: file, refusal, refusedPart, servers, ...fault })
    const why = state === 'refused' ? { fault: problem.message } : fault
    return { ...NO_ADDITION, problems: [problem], parts, report: { ...report, state, ...when, ...why } }
  }
  const addition = examined.data ?? (await runApproved(examined, context))
  if (addition.problems.some(({ severity }) => severity === 'error')) {
    const invalid = { ...report, state: 'invalid' as const, ...when, ...firstFault(addition.problems) }
    return { ...NO_ADDITION, problems: [...addition.problems, unusedProblem(file)], parts, report: invalid }
  }
  return { ...addition, parts, report: { ...report, state: 'used', servers: addition.entries.servers.length, ...when } }
}

async function runApproved(examined: ExaminedProject, context: ProjectContext): Promise<ProjectAddition> {
  const { path, realPath, text, parts, variables, problems } = examined
  if (problems.length > 0) return { ...NO_ADDITION, problems }
  const document = await runProjectModule(realPath, text, parts, context.files)
  return refuseUnapproved(parseProject(document, path, context), variables)
}

function firstFault(problems: readonly ConfigProblem[]): Pick<ProjectReport, 'fault'> {
  const first = problems.find(({ severity }) => severity === 'error')
  return first === undefined ? {} : { fault: faultText(first) }
}

/**
 * Accepts servers, sources and rules. A setting of the gateway is an error. Another setting of `discovery` is ignored,
 * with a warning.
 */
function parseProject(document: Document, file: string, context: ProjectContext): ProjectAddition {
  if (!document.ok) return { ...NO_ADDITION, problems: [document.problem] }
  const { home, platform, own = {} } = context
  const location = entryLocation('project', file, { home, platform, base: baseFolders(file).at(-1) }, ownDialect)
  const { value } = document
  const root = isRecord(value) ? value : {}
  const discovery = isRecord(root.discovery) ? root.discovery : {}
  const refused = Object.keys(root).filter((key) => gatewaySettings.includes(key))
  const ignored = Object.keys(discovery).filter((key) => discoverySettings.includes(key))
  const rest = isRecord(value)
    ? { ...without(root, refused), ...(isRecord(root.discovery) ? { discovery: without(discovery, ignored) } : {}) }
    : value
  const { entries, rules, sources, problems } = parseConfig(rest, location, () => own)
  return {
    entries,
    rules,
    sources,
    problems: [
      ...refused.map((key) => refusedKey(file, key)),
      ...ignored.map((key) => ignoredKey(file, key)),
      ...problems,
    ],
  }
}

/**
 * Adds an error for an env file, and for a reference that the code computes but its text does not contain. With an
 * error, the whole file is not used.
 */
function refuseUnapproved(addition: ProjectAddition, variables: readonly string[]): ProjectAddition {
  const found = addition.entries.servers.flatMap((server) => serverProblem(server, variables) ?? [])
  return { ...addition, problems: [...addition.problems, ...found] }
}

function serverProblem(server: ServerConfig, variables: readonly string[]): ConfigProblem | undefined {
  const { name, connection, origin } = server
  if (programIn(connection)?.envFile !== undefined) {
    return envFileProblem(
      server,
      `'${name}' names an env file, but a config that is code cannot use one. Read the file in the code and set 'env'`,
    )
  }
  const [hidden] = referencedNames(connection).filter((one) => !variables.includes(one))
  if (hidden === undefined) return undefined
  return problemAtOrigin(origin, {
    expected: 'references that the text of the file contains',
    found: 'a computed reference',
    message: `'${name}' refers to the variable '${hidden}', which was not approved. Write \${${hidden}} as literal text in the file, then run \`toolcrib trust\``,
  })
}

/** The names in all references of a text: `${NAME}`, `${NAME:-default}` and `${person.NAME}`. */
function namesWritten(text: string): string[] {
  return [...text.matchAll(/\$\{((?:person\.)?[A-Za-z_]\w*)(?=[}:])/g)].map(([, name = '']) => name)
}

function without(record: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)))
}

function refusedKey(file: string, key: string): ConfigProblem {
  const message = `A project cannot set '${key}'; only your own config can. Remove it from this file`
  const finding = { expected: 'servers, sources and rules only', found: `'${key}'`, message }
  return problemAt({ file, path: [key] }, finding)
}

function ignoredKey(file: string, key: string): ConfigProblem {
  const message = `'${key}' is ignored in a project config; set it in your own config`
  const finding = { expected: 'servers, sources and toolRules only', found: `'${key}'`, message }
  return problemAt({ file, path: ['discovery', key] }, { severity: 'warning', ...finding })
}

function moduleProblem(file: string, why: string): ConfigProblem {
  const finding = { expected: 'a config that can be approved', found: 'one that cannot be approved' }
  return fileProblem(file, { ...finding, message: `It cannot be used: ${why}` })
}

function unusedProblem(file: string): ConfigProblem {
  const message = 'This file is not used until its errors are corrected'
  const finding = { expected: 'a file without errors', found: 'one with errors', message }
  return fileProblem(file, { severity: 'warning', ...finding })
}
