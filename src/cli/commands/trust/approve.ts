// Runs `toolcrib trust`: shows each file of a folder that needs an approval, asks, and stores the approvals.

import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { refusalFix } from '../../../config/approval.ts'
import { raise } from '../../../core/errors.ts'
import { addApproval, removeApprovals } from '../../../setup/approvals.ts'
import type { Environment } from '../../../setup/environment.ts'
import { confirm, DECLINED } from '../../output/confirm.ts'
import type { Output } from '../../output/output.ts'
import type { TrustFlags } from '../../output/setup-flags.ts'
import { count, oneLine, shortPath, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { findTrustFile, type TrustFile, trustFiles } from './trust-files.ts'
import { fileDocument, fileLines, problemLines, serverLines } from './trust-lines.ts'

const RUN_APPROVED = { runsApproved: true }
/** The exit code if a file cannot be used. */
const UNUSABLE = 2

export async function approve(work: Work, given: string | undefined, flags: TrustFlags): Promise<number> {
  const { output, environment } = work
  const { home, stateDir } = environment
  const target = await targetOf(work, given)
  const shown = new Map<string, TrustFile>()
  const approved: string[] = []
  let isDeclined = false
  // Looks for the next file after each approval, because an approved config may name further files.
  for (let next = await target.next(shown); next !== undefined; next = await target.next(shown)) {
    const isFirst = shown.size === 0
    shown.set(next.realPath, next)
    output.print(...(isFirst ? [] : ['']), ...fileLines(next, home, output))
    const path = oneLine(shortPath(next.path, home))
    const knownFault = faultOf(next)
    if (knownFault !== undefined) {
      const verdict = next.state === 'approved' ? 'is approved, but' : 'cannot be approved:'
      output.printError(`${path} ${verdict} ${knownFault.why}`, knownFault.todo)
      continue
    }
    if (next.state === 'approved') continue
    const question = next.isCode ? `Run the code of ${path} in this folder?` : `Use ${path} in this folder?`
    if (!(await confirm(work, flags, [path], question))) {
      isDeclined = true
      continue
    }
    await addApproval(stateDir, next)
    // The servers of a code file are known only after it has run.
    const ran = next.isCode ? await findTrustFile(next.path, target.environment, RUN_APPROVED) : undefined
    output.print(...codeLines(ran, output))
    const fault = ran === undefined ? undefined : faultOf(ran)
    if (fault === undefined) {
      approved.push(next.path)
      output.print(`${output.paint.green('✓')} Approved ${path}`)
    } else {
      await removeApprovals(stateDir, next.realPath)
      shown.set(next.realPath, { ...next, problems: ran?.problems ?? [] })
      output.printError(`${path} is not approved: ${fault.why}`, fault.todo)
    }
  }
  const files = [...shown.values()]
  output.show({ files: files.map((file) => fileDocument(file, approved)), approved }, () =>
    endLines(work, files, approved),
  )
  if (isDeclined) return DECLINED
  return files.some((file) => faultOf(file) !== undefined) ? UNUSABLE : 0
}

/** The servers and problems of a code file, after it has run. */
function codeLines(file: TrustFile | undefined, { width }: Output): readonly string[] {
  const { servers = [], problems = [] } = file ?? {}
  return [...servers.flatMap(serverLines), ...problemLines(problems, width)]
}

interface TrustTarget {
  /** `cwd` is the folder to approve. */
  readonly environment: Environment
  /** The next file that has not been shown. */
  next(shown: ReadonlyMap<string, TrustFile>): Promise<TrustFile | undefined>
}

async function targetOf({ environment }: Work, given: string | undefined): Promise<TrustTarget> {
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
  if (one === undefined) return refuse(`${path} is not a config file that Toolcrib reads from a folder`)
  return {
    environment: { ...environment, cwd: one.folder },
    next: async (shown) => (shown.has(one.realPath) ? undefined : one),
  }
}

/** Why a file cannot be approved, and how to fix it. */
function faultOf(file: TrustFile): { readonly why: string; readonly todo: string } | undefined {
  const { state, path, source, refusal, problems } = file
  if (state === 'refused') {
    const why =
      refusal === 'foreign' ? 'another user owns it or a part of it' : 'other users can write to it or to a part of it'
    const all = [path, ...file.parts]
    return {
      why,
      todo: `Run \`${all.map((one) => refusalFix(one, refusal)).join(' && ')}\`, then run this command again.`,
    }
  }
  // A client's file is used even if parts of it have errors; our own config is used only without errors.
  const errors = source === 'config' ? problems.filter(({ severity }) => severity === 'error') : []
  return errors.length === 0
    ? undefined
    : {
        why: `it has ${count(errors.length, 'error')}`,
        todo: 'Correct the errors listed above, then run this command again.',
      }
}

function endLines({ output }: Work, files: readonly TrustFile[], approved: readonly string[]): readonly string[] {
  if (files.length === 0) {
    return wrap(
      'Nothing to approve: this folder has no Toolcrib config, and no client stores servers in it.',
      output.width,
    )
  }
  if (approved.length > 0) return ['', 'Gateways that run in this folder use what you approved from now on.']
  return files.every((file) => file.state === 'approved' && faultOf(file) === undefined)
    ? ['Nothing to do: every file is approved and unchanged.']
    : []
}
