// Runs `toolcrib trust --list` and `--revoke`: lists the approvals with the state of each file, or revokes them.

import { dirname, resolve, sep } from 'node:path'
import { type Approval, sha256Of } from '../../../config/approval.ts'
import { MAX_UNPARSED_BYTES, realFiles } from '../../../config/config-files.ts'
import { isModule } from '../../../config/load-module.ts'
import { readApprovals, removeApprovals } from '../../../setup/approvals.ts'
import type { Environment } from '../../../setup/environment.ts'
import { count, oneLine, shortPath } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { findTrustFile } from './trust-files.ts'

/** The exit code if there is no approval to revoke. */
const NOTHING_FOUND = 2

type ApprovedState = 'approved' | 'changed' | 'refused' | 'gone'

export async function listApproved({ environment, output }: Work): Promise<number> {
  const approvals = (await readApprovals(environment.stateDir)).toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const files = await Promise.all(
    approvals.map(async (approval) => {
      const { path, folder = null, at = null } = approval
      return { path, folder, approvedAt: at, state: await stateNow(approval, environment) }
    }),
  )
  output.show({ files }, () => {
    if (output.isQuiet) return files.map(({ path }) => oneLine(path))
    if (files.length === 0) return ['No file is approved.']
    const { paint } = output
    const shown = (file: string) => oneLine(shortPath(file, environment.home))
    return [
      `Approved (${files.length}):`,
      ...files.map(({ path, folder, approvedAt, state }) => {
        const mark = state === 'approved' ? paint.green('✓') : paint.red('✗')
        const on = approvedAt === null ? '' : ` (approved on ${approvedAt.slice(0, 10)})`
        const isInside = folder === null || path.startsWith(`${folder}${sep}`)
        const where = isInside ? '' : ` for ${shown(folder)}`
        return `${mark} ${shown(path)}${where}${on}${STATE_TEXTS[state]}`
      }),
    ]
  })
  return 0
}

/** Does not run the code of a config, because the file may be in any folder. */
async function stateNow({ path, folder, sha256 }: Approval, environment: Environment): Promise<ApprovedState> {
  const read = await realFiles.readGuarded(path, MAX_UNPARSED_BYTES).catch(() => undefined)
  if (read === undefined) return 'gone'
  if (read.refusal !== undefined) return 'refused'
  // The hash of a file without parts is the hash of its text. Other files are examined in their own folder.
  if (!isModule(path) && sha256Of(read.text) === sha256) return 'approved'
  const there = { ...environment, cwd: folder ?? dirname(path) }
  const found = await findTrustFile(path, there, { runsApproved: false })
  return found?.state === 'approved' || found?.state === 'refused' ? found.state : 'changed'
}

const STATE_TEXTS: Readonly<Record<ApprovedState, string>> = {
  approved: '',
  changed: ' - changed since, so it is not used',
  refused: ' - another user owns it or can write to it, so it is not used',
  gone: ' - no longer exists',
}

export async function revoke({ environment, output }: Work, given: string | undefined): Promise<number> {
  const path = realFiles.realPath(resolve(environment.cwd, given ?? '.'))
  const removed = await removeApprovals(environment.stateDir, path)
  const shown = (file: string) => oneLine(shortPath(file, environment.home))
  output.show({ revoked: removed.map((one) => one.path) }, () =>
    removed.length === 0
      ? [`Nothing to revoke: ${shown(path)} is not approved, and contains no approved file.`]
      : [
          `Revoked ${count(removed.length, 'approval')}:`,
          ...removed.map((one) => `  ${shown(one.path)}`),
          `Running gateways stop using ${removed.length === 1 ? 'this file' : 'these files'} at once.`,
        ],
  )
  return removed.length === 0 ? NOTHING_FOUND : 0
}
