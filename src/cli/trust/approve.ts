// Shows each file of a folder that needs an approval, asks, and keeps the approvals.

import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { refusalFix } from '../../config/approval.ts'
import { raise } from '../../core/errors.ts'
import { addApproval, removeApprovals } from '../approvals.ts'
import type { Environment } from '../environment.ts'
import type { Output } from '../output/output.ts'
import { count, oneLine, shortPath, wrap } from '../output/text.ts'
import { confirm, DECLINED } from '../setup/confirm.ts'
import type { TrustFlags } from '../setup/flags.ts'
import type { Work } from '../work.ts'
import { findTrustFile, type TrustFile, trustFiles } from './trust-files.ts'
import { fileDocument, fileLines, problemLines, serverLines } from './trust-lines.ts'

const AS_HERE = { runsApproved: true }
const UNUSABLE = 2

export async function approve(work: Work, given: string | undefined, flags: TrustFlags): Promise<number> {
  const { output, environment } = work
  const { home, stateDir } = environment
  const target = await targetOf(work, given)
  const shown = new Map<string, TrustFile>()
  const approved: string[] = []
  let isDeclined = false
  // Once approved, a config may name further files.
  for (let next = await target.next(shown); next !== undefined; next = await target.next(shown)) {
    const isFirst = shown.size === 0
    shown.set(next.realPath, next)
    output.print(...(isFirst ? [] : ['']), ...fileLines(next, home, output))
    const path = oneLine(shortPath(next.path, home))
    const known = faultOf(next)
    if (known !== undefined) {
      const verdict = next.state === 'approved' ? 'is approved, but' : 'cannot be approved:'
      output.complain(`${path} ${verdict} ${known.why}`, known.todo)
      continue
    }
    if (next.state === 'approved') continue
    if (
      !(await confirm(work, flags, [path], next.isCode ? `Let the code of ${path} run here?` : `Use ${path} here?`))
    ) {
      isDeclined = true
      continue
    }
    await addApproval(stateDir, next)
    // Code says what it adds only now that it may run.
    const ran = next.isCode ? await findTrustFile(next.path, target.environment, AS_HERE) : undefined
    output.print(...additionLines(ran, output))
    const fault = ran === undefined ? undefined : faultOf(ran)
    if (fault === undefined) {
      approved.push(next.path)
      output.print(`${output.paint.green('✓')} Approved ${path}`)
    } else {
      await removeApprovals(stateDir, next.realPath)
      shown.set(next.realPath, { ...next, problems: ran?.problems ?? [] })
      output.complain(`${path} is not approved: ${fault.why}`, fault.todo)
    }
  }
  const files = [...shown.values()]
  output.show({ files: files.map((file) => fileDocument(file, approved)), approved }, () =>
    endLines(work, files, approved),
  )
  if (isDeclined) return DECLINED
  return files.some((file) => faultOf(file) !== undefined) ? UNUSABLE : 0
}

function additionLines(file: TrustFile | undefined, { width }: Output): readonly string[] {
  const { servers = [], problems = [] } = file ?? {}
  return [...servers.flatMap(serverLines), ...problemLines(problems, width)]
}

interface Target {
  /** `cwd` is the folder that the command is about. */
  readonly environment: Environment
  /** The next file that was not shown yet. */
  next(shown: ReadonlyMap<string, TrustFile>): Promise<TrustFile | undefined>
}

async function targetOf({ environment }: Work, given: string | undefined): Promise<Target> {
  const path = resolve(environment.cwd, given ?? '.')
  const found = await stat(path).catch(() => undefined)
  const wrong = (reason: string) => raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib trust' })
  if (found === undefined) return wrong(`there is no file or folder ${path}`)
  if (found.isDirectory()) {
    const inFolder = { ...environment, cwd: path }
    return {
      environment: inFolder,
      next: async (shown) => (await trustFiles(inFolder, AS_HERE)).find(({ realPath }) => !shown.has(realPath)),
    }
  }
  const one = await findTrustFile(path, environment, AS_HERE)
  if (one === undefined) return wrong(`${path} is no config file that Toolcrib reads from a folder`)
  return {
    environment: { ...environment, cwd: one.folder },
    next: async (shown) => (shown.has(one.realPath) ? undefined : one),
  }
}

/** Why a file cannot be approved as it is. */
function faultOf(file: TrustFile): { readonly why: string; readonly todo: string } | undefined {
  const { state, path, source, refusal, problems } = file
  if (state === 'refused') {
    const why = refusal === 'foreign' ? 'another user owns it or a part of it' : 'others can write it or a part of it'
    const all = [path, ...file.parts]
    return { why, todo: `Run \`${all.map((one) => refusalFix(one, refusal)).join(' && ')}\`, then this again.` }
  }
  // A client's file is used as far as it can be read; our own as a whole.
  const errors = source === 'config' ? problems.filter(({ severity }) => severity === 'error') : []
  return errors.length === 0
    ? undefined
    : { why: `it has ${count(errors.length, 'error')}`, todo: 'Correct what is listed above, then run this again.' }
}

function endLines({ output }: Work, files: readonly TrustFile[], approved: readonly string[]): readonly string[] {
  if (files.length === 0) {
    return wrap(
      'There is nothing to approve: this folder has no config of its own and no client keeps servers in it.',
      output.width,
    )
  }
  if (approved.length > 0) return ['', 'Gateways that run in this folder take it up by themselves.']
  return files.every((file) => file.state === 'approved' && faultOf(file) === undefined)
    ? ['Nothing to do: all of it is approved as it is.']
    : []
}
