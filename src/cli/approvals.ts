// Which files of projects the user has seen and allowed, as they were then.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Approval } from '../config/import-sources.ts'
import { isRecord } from '../core/schema.ts'
import { writeAtomic } from '../storage/write-atomic.ts'

const MAX_APPROVALS = 1_000

/** What cannot be read was not approved. */
export async function readApprovals(stateDir: string): Promise<readonly Approval[]> {
  try {
    const kept: unknown = JSON.parse(await readFile(approvalsFile(stateDir), 'utf8'))
    return Array.isArray(kept) ? kept.filter(isApproval) : []
  } catch {
    return []
  }
}

export async function addApproval(stateDir: string, approval: Approval): Promise<void> {
  const others = (await readApprovals(stateDir)).filter(({ path }) => path !== approval.path)
  const kept = [...others, approval].slice(-MAX_APPROVALS)
  await writeAtomic(approvalsFile(stateDir), `${JSON.stringify(kept, null, 2)}\n`)
}

export function approvalsFile(stateDir: string): string {
  return join(stateDir, 'approvals.json')
}

function isApproval(value: unknown): value is Approval {
  return isRecord(value) && typeof value.path === 'string' && typeof value.sha256 === 'string'
}
