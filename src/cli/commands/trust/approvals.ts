// Runs `toolcrib trust`: asks to approve the files of a folder. --list lists the approvals, and --revoke revokes them.

import { stat } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { type Approval, REFUSAL_REASON, refusalFix, sha256Of } from '../../../config/approval.ts'
import { MAX_UNPARSED_BYTES, realFiles } from '../../../config/config-files.ts'
import { isModule } from '../../../config/load-module.ts'
import { raise } from '../../../core/errors.ts'
import { addApproval, readApprovals, removeApprovals } from '../../../setup/approvals.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { filesNotRead, notReadLines } from '../../config-changes/not-read.ts'
import { problemLines } from '../../config-changes/plan-lines.ts'
import { confirm, DECLINED } from '../../output/ask.ts'
import { count, oneLine } from '../../output/text.ts'
import type { CommonFlags, Work } from '../../output/work.ts'
import { findTrustFile, type TrustEnvironment, type TrustFile, trustEnvironment, trustFiles } from './trust-files.ts'
import { fileDocument, fileLines, serverLines } from './trust-lines.ts'

export interface TrustFlags extends CommonFlags {
  readonly list?: boolean
  readonly revoke?: boolean
  readonly yes?: boolean
}

/** Runs approved code to find what it adds. */
const RUN_APPROVED = true
/** The exit code if a file cannot be used. */
const UNUSABLE = 2

export async function approve(work: Work, given: string | undefined, flags: TrustFlags): Promise<number> {
  const { output, environment } = work
  const { stateDir } = environment
  const target = await targetOf(work, given)
  const shown = new Map<string, TrustFile>()
  const approved: string[] = []
  let isDeclined = false
  // Looks for the next file after each approval, because an approved config may name further files.
  for (let next = await target.next(shown); next !== undefined; next = await target.next(shown)) {
    const isFirst = shown.size === 0
    shown.set(next.realPath, next)
    output.print(...(isFirst ? [] : ['']), ...fileLines(next, output))
    const path = output.path(next.path)
    const knownFault = faultOf(next)
    if (knownFault !== undefined) {
      const verdict = next.state === 'approved' ? 'is approved, but' : 'cannot be approved:'
      output.printError(`${path} ${verdict} ${knownFault.why}.`, knownFault.todo)
      continue
    }
    if (next.state === 'approved') continue
    const question = next.isCode ? `Run the code of ${path} in this folder?` : `Use ${path} in this folder?`
    if (!(await confirm(work, flags, [path], { question, hasChanged: approved.length > 0 }))) {
      isDeclined = true
      continue
    }
    await addApproval(stateDir, next)
    // The servers of a code file are known only after it has run.
    const ran = next.isCode ? await findTrustFile(next.path, target.environment, RUN_APPROVED) : undefined
    output.print(...(ran?.servers ?? []).flatMap(serverLines), ...problemLines(ran?.problems ?? [], output, '  '))
    const fault = ran === undefined ? undefined : faultOf(ran)
    if (fault === undefined) {
      approved.push(next.path)
      output.print(`${output.paint.green('✓')} Approved ${path}`)
    } else {
      await removeApprovals(stateDir, next.realPath)
      shown.set(next.realPath, { ...next, problems: ran?.problems ?? [] })
      output.printError(`${path} is not approved: ${fault.why}.`, fault.todo)
    }
  }
  const files = [...shown.values()]
  const unread = await unreadFiles(work, target.environment, files, approved)
  const document = { files: files.map((file) => fileDocument(file, approved)), approved, notRead: unread.paths }
  output.show(document, () => endLines(work, files, approved, unread))
  if (isDeclined) return DECLINED
  return files.some((file) => faultOf(file) !== undefined) ? UNUSABLE : 0
}

interface TrustTarget {
  /** `cwd` is the folder to approve. */
  readonly environment: TrustEnvironment
  /** The next file that has not been shown. */
  next(shown: ReadonlyMap<string, TrustFile>): Promise<TrustFile | undefined>
}

async function targetOf(work: Work, given: string | undefined): Promise<TrustTarget> {
  const environment = await trustEnvironment(work)
  const path = resolve(environment.cwd, given ?? '.')
  const found = await stat(path).catch(() => undefined)
  const refuse = (reason: string) => raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib trust' })
  if (found === undefined) return refuse(`there is no file or folder ${path}`)
  if (found.isDirectory()) {
    const inFolder = { ...environment, cwd: path }
    return {
      environment: inFolder,
      next: async (shown) => (await trustFiles(inFolder, RUN_APPROVED)).find(({ realPath }) => !shown.has(realPath)),
    }
  }
  const one = await findTrustFile(path, environment, RUN_APPROVED)
  if (one === undefined)
    return refuse(`${path} has no servers to approve, or is not a config file that Toolcrib reads from a folder`)
  return {
    environment: { ...environment, cwd: one.folder },
    next: async (shown) => (shown.has(one.realPath) ? undefined : one),
  }
}

/** Returns why a file cannot be used, and how to fix it. Undefined if it can be used. */
function faultOf(file: TrustFile): { readonly why: string; readonly todo: string } | undefined {
  const { state, path, source, refusal, problems } = file
  if (state === 'refused') {
    const fixes = [path, ...file.parts].map((one) => refusalFix(one, refusal))
    return { why: REFUSAL_REASON, todo: `Run \`${fixes.join(' && ')}\`, then run this command again.` }
  }
  // A client's file is used even if parts of it have errors; our own config is used only without errors.
  const errors = source === 'config' ? problems.filter(({ severity }) => severity === 'error') : []
  if (errors.length === 0) return undefined
  const todo = 'Correct the errors listed above, then run this command again.'
  return { why: `it has ${count(errors.length, 'error')}`, todo }
}

interface UnreadFiles {
  readonly paths: readonly string[]
  /** The lines about these files, with the source that the config needs. */
  readonly lines: readonly string[]
}

/** The approved files of clients that the config in force does not name as a source. */
async function unreadFiles(
  { flags, output, signal }: Work,
  environment: TrustEnvironment,
  files: readonly TrustFile[],
  approved: readonly string[],
): Promise<UnreadFiles> {
  const ofClients = files
    .filter(({ source, servers }) => source !== 'config' && servers.length > 0)
    .filter(({ state, path }) => state === 'approved' || approved.includes(path))
    .map(({ path, source }) => ({ path, client: source }))
  if (ofClients.length === 0) return { paths: [], lines: [] }
  const loaded = await loadFor(environment, flags, signal)
  const unread = filesNotRead(ofClients, loaded)
  return { paths: unread.map(({ path }) => path), lines: notReadLines(unread, loaded, output) }
}

function endLines(
  { output }: Work,
  files: readonly TrustFile[],
  approved: readonly string[],
  unread: UnreadFiles,
): readonly string[] {
  if (files.length === 0) {
    return output.wrap(
      'Nothing to approve: this folder has no Toolcrib config, and no file of a client with servers besides the gateway.',
    )
  }
  if (approved.some((path) => !unread.paths.includes(path))) {
    const which = unread.paths.length === 0 ? 'the approved files' : 'the other approved files'
    return ['', ...unread.lines, `Gateways that run in this folder can use ${which} from now on.`]
  }
  if (unread.lines.length > 0) return ['', ...unread.lines]
  return files.every((file) => file.state === 'approved' && faultOf(file) === undefined)
    ? ['Nothing to do: every file is approved and unchanged.']
    : []
}

/** The exit code if there is no approval to revoke. */
const NOTHING_FOUND = 2

type ApprovedState = 'approved' | 'changed' | 'refused' | 'gone'

export async function listApproved(work: Work): Promise<number> {
  const { output } = work
  const environment = await trustEnvironment(work)
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
    return [
      `Approved (${files.length}):`,
      ...files.map(({ path, folder, approvedAt, state }) => {
        const mark = state === 'approved' ? paint.green('✓') : paint.red('✗')
        const on = approvedAt === null ? '' : ` (approved on ${approvedAt.slice(0, 10)})`
        const isInside = folder === null || path.startsWith(`${folder}${sep}`)
        const where = isInside ? '' : ` for ${output.path(folder)}`
        return `${mark} ${output.path(path)}${where}${on}${STATE_TEXTS[state]}`
      }),
    ]
  })
  return 0
}

/** Does not run the code of a config, because the file may be in any folder. */
async function stateNow({ path, folder, sha256 }: Approval, environment: TrustEnvironment): Promise<ApprovedState> {
  const read = await realFiles.readGuarded(path, MAX_UNPARSED_BYTES).catch(() => undefined)
  if (read === undefined) return 'gone'
  if (read.refusal !== undefined) return 'refused'
  // The hash of a file without parts is the hash of its text. Other files are examined in their own folder.
  if (!isModule(path) && sha256Of(read.text) === sha256) return 'approved'
  const there = { ...environment, cwd: folder ?? dirname(path) }
  const found = await findTrustFile(path, there, false)
  return found?.state === 'approved' || found?.state === 'refused' ? found.state : 'changed'
}

const STATE_TEXTS: Readonly<Record<ApprovedState, string>> = {
  approved: '',
  changed: ' - changed since, so it is not used',
  refused: ` - ${REFUSAL_REASON}, so it is not used`,
  gone: ' - no longer exists',
}

export async function revoke({ environment, output }: Work, given: string | undefined): Promise<number> {
  const path = realFiles.realPath(resolve(environment.cwd, given ?? '.'))
  const removed = await removeApprovals(environment.stateDir, path)
  output.show({ revoked: removed.map((one) => one.path) }, () =>
    removed.length === 0
      ? [`Nothing to revoke: ${output.path(path)} is not approved, and contains no approved file.`]
      : [
          `Revoked ${count(removed.length, 'approval')}:`,
          ...removed.map((one) => `  ${output.path(one.path)}`),
          `Running gateways stop using ${removed.length === 1 ? 'this file' : 'these files'} at once.`,
        ],
  )
  return removed.length === 0 ? NOTHING_FOUND : 0
}
