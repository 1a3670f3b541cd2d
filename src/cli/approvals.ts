// Which files of projects the user has approved, as they were then. One store for `trust` and `import`.

import { dirname, join, sep } from 'node:path'
import { type ApprovableFile, type Approval, isFor } from '../config/approval.ts'
import { MAX_UNPARSED_BYTES, realFiles } from '../config/config-files.ts'
import { raise } from '../core/errors.ts'
import { isRecord } from '../core/schema.ts'
import { LockHeld, withLock } from '../storage/file-lock.ts'
import { makeFolder } from '../storage/make-folder.ts'
import { writeAtomic } from '../storage/write-atomic.ts'

const MAX_APPROVALS = 1_000
const MAX_WAIT_MS = 10_000

/** A store that cannot be read, or that others could have written, approves nothing. */
export async function readApprovals(stateDir: string): Promise<readonly Approval[]> {
  try {
    const { text, refusal } = await realFiles.readGuarded(approvalsFile(stateDir), MAX_UNPARSED_BYTES)
    const kept: unknown = refusal === undefined ? JSON.parse(text) : []
    return Array.isArray(kept) ? kept.filter(isApproval) : []
  } catch {
    return []
  }
}

/** In place of an earlier approval of the same file. */
export async function addApproval(stateDir: string, file: ApprovableFile): Promise<void> {
  const { realPath: path, folder, sha256 } = file
  await change(stateDir, (kept) => {
    const others = kept.filter((one) => !isFor(one, file))
    return [...others, { path, folder, sha256, at: new Date().toISOString() }].slice(-MAX_APPROVALS)
  })
}

/** Ends the approval of a file, or of all files in or for a folder; gives back those that it ended. */
export async function removeApprovals(stateDir: string, path: string): Promise<readonly Approval[]> {
  const isIn = (one: string) => one === path || one.startsWith(join(path, sep))
  const isMeant = (one: Approval) => isIn(one.path) || (one.folder !== undefined && isIn(one.folder))
  if (!(await readApprovals(stateDir)).some(isMeant)) return []
  let removed: readonly Approval[] = []
  await change(stateDir, (kept) => {
    removed = kept.filter(isMeant)
    return kept.filter((one) => !isMeant(one))
  })
  return removed
}

export function approvalsFile(stateDir: string): string {
  return join(stateDir, 'approvals.json')
}

/** One process at a time, so that two commands at once lose nothing. */
async function change(stateDir: string, edit: (kept: readonly Approval[]) => readonly Approval[]): Promise<void> {
  const file = approvalsFile(stateDir)
  await makeFolder(dirname(file))
  const lock = `${file}.lock`
  try {
    await withLock(lock, { waitMs: MAX_WAIT_MS }, async () => {
      await writeAtomic(file, `${JSON.stringify(edit(await readApprovals(stateDir)), null, 2)}\n`)
    })
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error
    const todo = 'Run it again when that has ended; if none runs, remove the file.'
    raise('CONFIG_UNWRITABLE', { file: lock, reason: 'another toolcrib is writing the approvals', todo })
  }
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
