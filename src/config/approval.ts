// Approvals: a file that comes with a project is used only as the user has seen and approved it.

import { createHash } from 'node:crypto'
import { join, sep } from 'node:path'
import { quoteList } from '../core/text.ts'
import type { FileRefusal } from './config-files.ts'
import { type ConfigProblem, problemAt, type Severity } from './problem.ts'

/** A project's file that the user has seen and approved, as it was then. */
export interface Approval {
  /** With links followed. */
  readonly path: string
  /** The folder that it was approved for, with links followed; absent in approvals of older versions. */
  readonly folder?: string
  /** The hash of its text and of the files that are part of it; another text needs another approval. */
  readonly sha256: string
  /** When, in ISO form. */
  readonly at?: string
}

/** A file that needs an approval, as it was read. */
export interface ApprovableFile {
  readonly path: string
  readonly realPath: string
  /** The folder that it is used in, with links followed. */
  readonly folder: string
  readonly sha256: string
  readonly refusal?: FileRefusal | undefined
}

export type ApprovalState = 'approved' | 'unapproved' | 'changed' | 'refused'

export interface Judgement {
  readonly state: ApprovalState
  /** When another text of the same file was approved, or this one. */
  readonly at?: string
}

/** Owner and mode are checked first: an approval does not permit a file that others can write. */
export function judgeFile(file: ApprovableFile, approved: readonly Approval[]): Judgement {
  const { sha256, refusal } = file
  if (refusal !== undefined) return { state: 'refused' }
  const ofPath = approved.filter((approval) => isFor(approval, file))
  const same = ofPath.find((approval) => approval.sha256 === sha256)
  const last = same ?? ofPath.at(-1)
  const at = last?.at === undefined ? {} : { at: last.at }
  return { state: same !== undefined ? 'approved' : last === undefined ? 'unapproved' : 'changed', ...at }
}

/**
 * Bound to the folder: relative paths in a file mean other programs in another folder, and a link in a foreign folder
 * can lead to a file that is approved.
 */
export function isFor({ path, folder }: Approval, file: Pick<ApprovableFile, 'realPath' | 'folder'>): boolean {
  if (path !== file.realPath) return false
  return folder === undefined ? path.startsWith(join(file.folder, sep)) : folder === file.folder
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** One hash of a file and of the files that are part of it; of a file alone it is the hash of its text. */
export function sha256OfAll(text: string, parts: ReadonlyMap<string, string | undefined>): string {
  if (parts.size === 0) return sha256Of(text)
  const sorted = [...parts].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const listed = sorted.map(([path, part]) => [path, part === undefined ? null : sha256Of(part)])
  // The zero byte keeps this apart from the hash of any text that reads the same.
  return sha256Of(`toolcrib approval\0${JSON.stringify([sha256Of(text), listed])}`)
}

export interface Unapproved extends Judgement {
  readonly path: string
  readonly refusal?: FileRefusal | undefined
  /** The servers that it would add, where they are known. */
  readonly servers?: readonly string[]
  /** An error in it, which keeps `toolcrib trust` from approving it. */
  readonly fault?: string
  /** Left out: `warning`. */
  readonly severity?: Severity
}

/** Why the file is not used, and the command to type. */
export function unapprovedProblem(file: Unapproved): ConfigProblem {
  const { path, state, at, refusal, servers = [], fault, severity = 'warning' } = file
  if (state === 'refused') return refusedProblem(path, refusal)
  const isChanged = state === 'changed'
  const since = at === undefined ? 'it was approved' : `you approved it on ${at.slice(0, 10)}`
  const why = isChanged ? `It has changed since ${since}` : 'It comes with this folder and is not approved'
  const [who, are] = servers.length === 0 ? ['it', 'is'] : [quoteList(servers, 5), servers.length === 1 ? 'is' : 'are']
  return problemAt(
    { file: path, path: [] },
    {
      severity: isChanged ? 'warning' : severity,
      expected: 'a file that was approved as it is',
      found: isChanged ? 'another text' : 'no approval',
      message:
        fault === undefined
          ? `${why}, so ${who} ${are} not used. Run \`toolcrib trust\` to see what it would run and approve it`
          : `${why}. It cannot be approved before this error is corrected: ${fault}`,
    },
  )
}

/** `chmod go-w FILE`, or what to do about a file of another user. */
export function refusalFix(path: string, refusal: FileRefusal | undefined): string {
  const word = /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
  return refusal === 'foreign' ? `chown "$(id -un)" ${word}` : `chmod go-w ${word}`
}

function refusedProblem(path: string, refusal: FileRefusal | undefined): ConfigProblem {
  const [found, why] =
    refusal === 'foreign'
      ? ["another user's file", 'Another user owns it']
      : ['a file that others can write', 'Other users can write it']
  return problemAt(
    { file: path, path: [] },
    {
      severity: 'warning',
      expected: 'a file that only you can change',
      found,
      message: `${why}, so it is not used. Run \`${refusalFix(path, refusal)}\`, then \`toolcrib trust\``,
    },
  )
}
