// Reading the files of clients: which of them, whether they may be used, and what came of each.

import { createHash } from 'node:crypto'
import { quoteList } from '../core/text.ts'
import { type ConfigFiles, readFailure } from './config-files.ts'
import type { ClientFile, ImportContext, Importer, ImportResult, ImportScope } from './imports/importer.ts'
import { type ConfigProblem, problemAt } from './problem.ts'

/** A project's file that the user has seen and allowed, as it was then. */
export interface Approval {
  readonly path: string
  /** Of its text; another text needs another approval. */
  readonly sha256: string
}

export interface SourceRequest {
  readonly importer: Importer
  /** Of these the first that says anything counts. */
  readonly files: readonly ClientFile[]
  /** Whether someone named this source; one that nobody named may be absent. */
  readonly isNamed: boolean
  /** Whether a file of it is used only as it was approved. */
  readonly needsApproval: boolean
}

/** `used`, or why not. */
export type SourceState = 'used' | 'missing' | 'unreadable' | 'unapproved' | 'repeated'

export interface SourceReport {
  readonly type: string
  readonly path: string
  readonly scope: ImportScope
  readonly state: SourceState
  /** How many servers it gave. */
  readonly servers: number
}

export interface ImportedSources {
  readonly results: readonly ImportResult[]
  readonly reports: readonly SourceReport[]
}

export interface SourceContext extends ImportContext {
  readonly files: ConfigFiles
  readonly approved: readonly Approval[]
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export async function importSources(
  requests: readonly SourceRequest[],
  context: SourceContext,
): Promise<ImportedSources> {
  const results: ImportResult[] = []
  const reports: SourceReport[] = []
  const seen = new Set<string>()
  for (const request of requests) {
    let isSettled = false
    for (const file of request.files) {
      if (isSettled || !(await context.files.isFile(file.path))) continue
      const { result, state } = seen.has(file.path)
        ? repeatedFile(file, request)
        : await readFile(file, request, context)
      seen.add(file.path)
      // Settings that say nothing of servers are no reason not to look further.
      isSettled = state !== 'used' || result.servers.length + result.problems.length > 0
      results.push(result)
      reports.push({ type: request.importer.name, ...file, state, servers: result.servers.length })
    }
    const [first] = request.files
    const isFound = reports.some((report) => request.files.some((file) => file.path === report.path))
    if (first === undefined || isFound || !request.isNamed) continue
    reports.push({ type: request.importer.name, ...first, state: 'missing', servers: 0 })
    results.push(only(missingFile(first, request)))
  }
  return { results, reports }
}

async function readFile(
  file: ClientFile,
  { importer, needsApproval }: SourceRequest,
  context: SourceContext,
): Promise<{ result: ImportResult; state: SourceState }> {
  let text: string
  try {
    text = await context.files.readText(file.path)
  } catch (error) {
    const finding = { expected: `the servers of ${importer.name}`, found: readFailure(error) }
    return { result: only(problemAt({ file: file.path, path: [] }, finding)), state: 'unreadable' }
  }
  const result = await importer.parse(text, file.path, context)
  if (!needsApproval) return { result, state: 'used' }
  const approval = context.approved.find((one) => one.path === file.path)
  if (approval?.sha256 === sha256Of(text)) return { result, state: 'used' }
  if (result.servers.length === 0) return { result: only(), state: 'unapproved' }
  return { result: only(unapproved(file, result, approval !== undefined)), state: 'unapproved' }
}

function only(...problems: readonly ConfigProblem[]): ImportResult {
  return { servers: [], rules: [], problems }
}

function repeatedFile(file: ClientFile, { isNamed }: SourceRequest): { result: ImportResult; state: SourceState } {
  const problem = problemAt(
    { file: file.path, path: [] },
    {
      severity: 'info',
      expected: 'a file of its own',
      found: 'one that another source has read',
      message: 'Already read by another source',
    },
  )
  return { result: only(...(isNamed ? [problem] : [])), state: 'repeated' }
}

function missingFile({ path }: ClientFile, { importer, files }: SourceRequest): ConfigProblem {
  const others = files.slice(1).map((file) => file.path)
  const more = others.length === 0 ? '' : `, nor ${others.join(', ')}`
  return problemAt(
    { file: path, path: [] },
    {
      severity: 'warning',
      expected: `the servers of ${importer.name}`,
      found: 'no such file',
      message: `Source '${importer.name}': no such file${more}`,
    },
  )
}

function unapproved({ path }: ClientFile, { servers }: ImportResult, isChanged: boolean): ConfigProblem {
  const names = quoteList(
    servers.map((server) => server.name),
    5,
  )
  const why = isChanged ? 'It has changed since it was approved' : 'It comes with the project and is not approved'
  return problemAt(
    { file: path, path: [] },
    {
      severity: isChanged ? 'warning' : 'info',
      expected: 'a file that was approved as it is',
      found: isChanged ? 'another text' : 'no approval',
      message: `${why}; ${names} not used. Run \`toolcrib import\` to see the command lines and approve them`,
    },
  )
}
