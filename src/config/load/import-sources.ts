// Reads the config files of clients: selects the files, checks approvals, and reports the state of each file.

import {
  type ApprovableFile,
  type Approval,
  type Judgement,
  judgeFile,
  readEnvFiles,
  sha256OfAll,
  unapprovedProblem,
} from '../approval.ts'
import { type ConfigFiles, readFailure } from '../config-files.ts'
import type { ClientFile, ImportContext, Importer, ImportScope } from '../imports/importer.ts'
import { type ConfigProblem, fileProblem } from '../problem.ts'
import { type ImportResult, noServers } from '../server-entry.ts'

/** The files of one client to read. In a config, each entry of `discovery.sources` is a source. */
export interface SourceRequest {
  readonly importer: Importer
  /** The candidates in order. Reading stops after the first file that has servers or problems, or is not used. */
  readonly files: readonly ClientFile[]
  /** Whether the config names this source. Only a named source is reported as missing. */
  readonly isNamed: boolean
  /** Whether the files of this source are used only after an approval. */
  readonly needsApproval: boolean
}

/** `used`, or the reason why the file is not used. `repeated` means that another source has already read the file. */
export type SourceState = 'used' | 'missing' | 'unreadable' | 'unapproved' | 'refused' | 'repeated'

export interface SourceReport {
  readonly type: string
  readonly path: string
  readonly scope: ImportScope
  readonly state: SourceState
  /** How many servers are imported from the file. 0 if the file is not used. */
  readonly servers: number
}

/** A file that needs an approval, with its content, whether it is approved or not. */
export interface ApprovableSource extends ApprovableFile, Judgement {
  readonly result: ImportResult
  /** Other files that are part of the approval. */
  readonly parts: readonly string[]
}

/** A file of a source. If a named source has no file, the first path at which its file was expected. */
export interface ImportedFile {
  readonly report: SourceReport
  readonly result: ImportResult
  /** Undefined if no approval is needed or the file was not read. */
  readonly approvable?: ApprovableSource | undefined
}

interface SourceContext extends ImportContext {
  readonly files: ConfigFiles
  readonly approved: readonly Approval[]
}

export async function importSources(
  requests: readonly SourceRequest[],
  context: SourceContext,
): Promise<readonly ImportedFile[]> {
  const imported: ImportedFile[] = []
  const seen = new Set<string>()
  for (const request of requests) {
    const { importer, files, isNamed } = request
    const type = importer.name
    let isSettled = false
    for (const file of files) {
      if (isSettled || !(await context.files.isFile(file.path))) continue
      const isRepeated = seen.has(file.path)
      const read = isRepeated ? repeatedFile(file, request) : await readFile(file, request, context)
      const { state, ...content } = read
      const { servers, problems } = content.result
      seen.add(file.path)
      // After a file without servers and problems, the next file is read too.
      isSettled = state !== 'used' || servers.length + problems.length > 0
      imported.push({ report: { type, ...file, state, servers: servers.length }, ...content })
    }
    const [first] = files
    const isFound = imported.some(({ report }) => files.some(({ path }) => path === report.path))
    if (first === undefined || isFound || !isNamed) continue
    const report: SourceReport = { type, ...first, state: 'missing', servers: 0 }
    imported.push({ report, result: noServers([missingFile(first, request)]) })
  }
  return imported
}

type ReadSource = Omit<ImportedFile, 'report'> & Pick<SourceReport, 'state'>

async function readFile(file: ClientFile, request: SourceRequest, context: SourceContext): Promise<ReadSource> {
  const { importer, needsApproval } = request
  try {
    if (needsApproval) return await readApprovable(file, importer, context)
    const text = await context.files.readText(file.path)
    return { result: await importer.parse(text, file.path, context), state: 'used' }
  } catch (error) {
    const finding = { expected: `the servers of ${importer.name}`, found: readFailure(error) }
    return { result: noServers([fileProblem(file.path, finding)]), state: 'unreadable' }
  }
}

/** Reads the file once, so that the checked text is also the text that is used. */
async function readApprovable({ path }: ClientFile, importer: Importer, context: SourceContext): Promise<ReadSource> {
  const { text, realPath, refusal: ownRefusal } = await context.files.readGuarded(path)
  const parsed = await importer.parse(text, path, context)
  const { servers, parts, problems, ...ofParts } = await readEnvFiles(parsed.servers, context)
  const refused = ownRefusal === undefined ? ofParts : { refusal: ownRefusal }
  const result = { ...parsed, servers, problems: [...parsed.problems, ...problems] }
  const folder = context.files.realPath(context.cwd)
  const file = { path, realPath, folder, sha256: sha256OfAll(text, parts), ...refused }
  const judgement = judgeFile(file, context.approved)
  const approvable = { ...file, ...judgement, result, parts: [...parts.keys()] }
  // A file without servers and problems needs no approval. The next file of the client is read then.
  const isEmpty = result.servers.length + result.problems.length === 0
  if (isEmpty || judgement.state === 'approved') return { result, state: 'used', approvable }
  const state = judgement.state === 'refused' ? 'refused' : 'unapproved'
  if (servers.length === 0) return { result: noServers([]), state, approvable }
  const names = servers.map(({ name }) => name)
  const problem = unapprovedProblem({ ...judgement, path, ...refused, servers: names, severity: 'info' })
  return { result: noServers([problem]), state, approvable }
}

function repeatedFile({ path }: ClientFile, { isNamed }: SourceRequest): ReadSource {
  const message = 'Another source has already read this file'
  const finding = { expected: 'a file that no other source uses', found: 'a file of another source', message }
  return { result: noServers(isNamed ? [fileProblem(path, { severity: 'info', ...finding })] : []), state: 'repeated' }
}

function missingFile({ path }: ClientFile, { importer, files }: SourceRequest): ConfigProblem {
  const others = files.slice(1).map((file) => file.path)
  const more = others.length === 0 ? '' : `, and no file at ${others.join(' or ')}`
  const message = `The source '${importer.name}' has no file here${more}`
  const finding = { expected: `the servers of ${importer.name}`, found: 'no such file', message }
  return fileProblem(path, { severity: 'warning', ...finding })
}
