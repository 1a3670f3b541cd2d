// Approvals: a file of a project, and an env file that it names, are used only if the user approved their current text.

import { createHash } from 'node:crypto'
import { join, resolve, sep } from 'node:path'
import { quoteList, shellWord } from '../core/text.ts'
import type { ConfigFiles, FileRefusal } from './config-files.ts'
import { type ConfigProblem, fileProblem, problemAtOrigin, type Severity } from './problem.ts'
import { hasReferences, resolveText } from './references.ts'
import { programIn, type ServerConfig } from './server-config.ts'

/** The approval of one file of a project. It is bound to the text that the file had at that time. */
export interface Approval {
  /** The real path, with links resolved. */
  readonly path: string
  /** The folder that the file was approved for, with links resolved. Older versions stored no folder. */
  readonly folder?: string
  /** The hash of the text, and of other files that the approval covers. A changed text needs a new approval. */
  readonly sha256: string
  /** The time of the approval in ISO format. */
  readonly at?: string
}

/** A file that needs an approval, as it was read. */
export interface ApprovableFile {
  readonly path: string
  readonly realPath: string
  /** The folder in which the file is used, with links resolved. */
  readonly folder: string
  readonly sha256: string
  readonly refusal?: FileRefusal | undefined
  /** The file that `refusal` is about, if it is a part of the approval and not the file itself. */
  readonly refusedPart?: string | undefined
}

export type ApprovalState = 'approved' | 'unapproved' | 'changed' | 'refused'

export interface Judgement {
  readonly state: ApprovalState
  /** When this text, or an earlier text of the same file, was approved. */
  readonly at?: string
}

/** Checks the owner and the mode first: an approval does not allow a file that others can write to. */
export function judgeFile(file: ApprovableFile, approved: readonly Approval[]): Judgement {
  const { sha256, refusal } = file
  if (refusal !== undefined) return { state: 'refused' }
  const ofPath = approved.filter((approval) => isApprovalOf(approval, file))
  const same = ofPath.find((approval) => approval.sha256 === sha256)
  const last = same ?? ofPath.at(-1)
  const at = last?.at === undefined ? {} : { at: last.at }
  return { state: same !== undefined ? 'approved' : last === undefined ? 'unapproved' : 'changed', ...at }
}

/**
 * An approval is bound to a folder. Relative paths in a file mean other programs in another folder, and a link in a
 * foreign folder can lead to an approved file.
 */
export function isApprovalOf({ path, folder }: Approval, file: Pick<ApprovableFile, 'realPath' | 'folder'>): boolean {
  if (path !== file.realPath) return false
  return folder === undefined ? path.startsWith(join(file.folder, sep)) : folder === file.folder
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** One hash for a file and the files that belong to it. Without such files, this is the hash of the text alone. */
export function sha256OfAll(text: string, parts: ReadonlyMap<string, string | undefined>): string {
  if (parts.size === 0) return sha256Of(text)
  const sorted = [...parts].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const listed = sorted.map(([path, part]) => [path, part === undefined ? null : sha256Of(part)])
  // A text file has no zero byte, so no text file has the same hash as this list.
  return sha256Of(`toolcrib approval\0${JSON.stringify([sha256Of(text), listed])}`)
}

interface Unapproved extends Judgement, Pick<ApprovableFile, 'path' | 'refusal' | 'refusedPart'> {
  /** The servers that the file would add, if they are known. */
  readonly servers?: readonly string[]
  /** An error in the file. `toolcrib trust` cannot approve the file until it is corrected. */
  readonly fault?: string
  /** Default: `warning`. */
  readonly severity?: Severity
}

/** Explains why the file is not used, and which command to run. */
export function unapprovedProblem(file: Unapproved): ConfigProblem {
  const { path, state, at, servers = [], fault, severity = 'warning' } = file
  if (state === 'refused') return refusedProblem(file)
  const isChanged = state === 'changed'
  const since = at === undefined ? 'it was approved' : `you approved it on ${at.slice(0, 10)}`
  const why = isChanged ? `It has changed since ${since}` : 'It comes with this folder and is not approved'
  const [who, are] = servers.length === 0 ? ['it', 'is'] : [quoteList(servers, 5), servers.length === 1 ? 'is' : 'are']
  return fileProblem(path, {
    severity: isChanged ? 'warning' : severity,
    expected: 'a file that is approved with its current text',
    found: isChanged ? 'another text' : 'no approval',
    message:
      fault === undefined
        ? `${why}, so ${who} ${are} not used. Run \`toolcrib trust\` to see what it would run and approve it`
        : `${why}. It cannot be approved before this error is corrected: ${fault}`,
  })
}

/** Why a file is refused, in texts without details. */
export const REFUSAL_REASON = 'another user can change it or a file that it uses'

/** The command that makes the file safe: `chmod go-w FILE`, or `chown` for a file of another user. */
export function refusalFix(path: string, refusal: FileRefusal | undefined): string {
  return refusal === 'foreign' ? `chown "$(id -un)" ${shellWord(path)}` : `chmod go-w ${shellWord(path)}`
}

function refusedProblem({ path, refusal, refusedPart: part }: Unapproved): ConfigProblem {
  const [found, why, whyPart] =
    refusal === 'foreign'
      ? ["another user's file", 'Another user owns it', 'another user owns']
      : ['a file that others can write to', 'Other users can write to it', 'other users can write to']
  const reason = part === undefined ? why : `It needs ${part}, which ${whyPart}`
  const message = `${reason}, so it is not used. Run \`${refusalFix(part ?? path, refusal)}\`, then \`toolcrib trust\``
  return fileProblem(path, { severity: 'warning', expected: 'a file that only you can change', found, message })
}

interface ReadEnvFiles extends Pick<ApprovableFile, 'refusal' | 'refusedPart'> {
  /** All servers except those with a reference in the path of their env file. */
  readonly servers: readonly ServerConfig[]
  /** The texts by path. Undefined for a file that cannot be read. */
  readonly parts: ReadonlyMap<string, string | undefined>
  readonly problems: readonly ConfigProblem[]
}

/** A value that no hash equals: a file that cannot be read now must not be used when it appears later. */
const NO_TEXT = 'absent'

export async function readEnvFiles(
  servers: readonly ServerConfig[],
  { files, cwd }: { readonly files: ConfigFiles; readonly cwd: string },
): Promise<ReadEnvFiles> {
  const parts = new Map<string, string | undefined>()
  const problems: ConfigProblem[] = []
  const usable: ServerConfig[] = []
  let refused: Pick<ApprovableFile, 'refusal' | 'refusedPart'> = {}
  for (const server of servers) {
    const program = programIn(server.connection)
    if (program?.envFile === undefined) {
      usable.push(server)
      continue
    }
    if (hasReferences(program.envFile)) {
      const message = `The path of the env file of '${server.name}' contains a reference, so the file cannot be approved. Write the path without references`
      problems.push(envFileProblem(server, message))
      continue
    }
    // Only removes the escapes of literal dollar signs.
    const literal = resolveText(program.envFile, {})
    const path = resolve(cwd, literal.ok ? literal.text : program.envFile)
    if (!parts.has(path)) {
      const read = await files.readGuarded(path).catch(() => undefined)
      parts.set(path, read?.text)
      if (read?.refusal !== undefined && refused.refusal === undefined)
        refused = { refusal: read.refusal, refusedPart: path }
    }
    const text = parts.get(path)
    const envFileSha256 = text === undefined ? NO_TEXT : sha256Of(text)
    usable.push({ ...server, connection: { ...program, envFileSha256 } })
  }
  return { servers: usable, parts, problems, ...refused }
}

export function envFileProblem({ origin }: ServerConfig, message: string): ConfigProblem {
  const expected = 'an env file that is approved together with this file'
  return problemAtOrigin(origin, { expected, found: 'another env file', message })
}
