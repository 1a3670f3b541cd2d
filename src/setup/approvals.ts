// Records which files of projects the user has approved, with a hash of each. All commands share one file.

import { dirname, join, sep } from 'node:path'
import { type ApprovableFile, type Approval, isApprovalOf } from '../config/approval.ts'
import { MAX_UNPARSED_BYTES, realFiles } from '../config/config-files.ts'
import { isRecord } from '../core/is-record.ts'
import { writeAtomic } from '../storage/atomic-file.ts'
import { makeFolder } from '../storage/make-folder.ts'
import { withWriteLock } from './files/write-file.ts'

const MAX_APPROVALS = 1_000

/** Returns no approvals if their file cannot be read, or if another user owns it or can write to it. */
export async function readApprovals(stateDir: string): Promise<readonly Approval[]> {
  try {
    const { text, refusal } = await realFiles.readGuarded(approvalsFile(stateDir), MAX_UNPARSED_BYTES)
    const stored: unknown = refusal === undefined ? JSON.parse(text) : []
    return Array.isArray(stored) ? stored.filter(isApproval) : []
  } catch {
    return []
  }
}

/** Replaces an earlier approval of the same file. */
export async function addApproval(stateDir: string, file: ApprovableFile): Promise<void> {
  const { realPath: path, folder, sha256 } = file
  await updateApprovals(stateDir, (stored) => {
    const others = stored.filter((one) => !isApprovalOf(one, file))
    return [...others, { path, folder, sha256, at: new Date().toISOString() }].slice(-MAX_APPROVALS)
  })
}

/**
 * Removes the approvals of a file. For a folder, removes those of all files in it and of all files approved for it.
 * Returns the removed approvals.
 */
export async function removeApprovals(stateDir: string, path: string): Promise<readonly Approval[]> {
  const isIn = (one: string) => one === path || one.startsWith(join(path, sep))
  const isMatch = (one: Approval) => isIn(one.path) || (one.folder !== undefined && isIn(one.folder))
  if (!(await readApprovals(stateDir)).some(isMatch)) return []
  let removed: readonly Approval[] = []
  await updateApprovals(stateDir, (stored) => {
    removed = stored.filter(isMatch)
    return stored.filter((one) => !isMatch(one))
  })
  return removed
}

export function approvalsFile(stateDir: string): string {
  return join(stateDir, 'approvals.json')
}

/** Takes a lock, so that two commands at the same time do not overwrite each other's approvals. */
async function updateApprovals(
  stateDir: string,
  edit: (stored: readonly Approval[]) => readonly Approval[],
): Promise<void> {
  const file = approvalsFile(stateDir)
  await makeFolder(dirname(file))
  await withWriteLock({ path: `${file}.lock`, file, what: 'it' }, async () => {
    await writeAtomic(file, `${JSON.stringify(edit(await readApprovals(stateDir)), null, 2)}\n`)
  })
}

function isApproval(value: unknown): value is Approval {
  return (
    isRecord(value) &&
    typeof value.path === 'string' &&
    typeof value.sha256 === 'string' &&
    (value.folder === undefined || typeof value.folder === 'string') &&
    (value.at === undefined || typeof value.at === 'string')
  )
}
