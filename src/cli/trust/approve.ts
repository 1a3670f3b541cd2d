// Shows each file of a folder that needs an approval, asks, and keeps the approvals.

import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { refusalFix } from '../../config/approval.ts'
import { raise } from '../../core/errors.ts'
import { addApproval } from '../approvals.ts'
import type { Environment } from '../environment.ts'
import { count, oneLine, shortPath, wrap } from '../output/text.ts'
import { confirm, DECLINED } from '../setup/confirm.ts'
import type { TrustFlags } from '../setup/flags.ts'
import type { Work } from '../work.ts'
import { findTrustFile, type TrustFile, trustFiles } from './trust-files.ts'
import { fileDocument, fileLines, serverLines } from './trust-lines.ts'

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
    if (next.state === 'approved') continue
    const fault = faultOf(next)
    if (fault !== undefined) {
      output.complain(`${oneLine(shortPath(next.path, home))} cannot be approved: ${fault.why}`, fault.todo)
      continue
    }
    const path = oneLine(shortPath(next.path, home))
    if (await confirm(work, flags, [path], next.isCode ? `Let the code of ${path} run here?` : `Use ${path} here?`)) {
      await addApproval(stateDir, next)
      approved.push(next.path)
      output.print(`${output.paint.green('✓')} Approved ${path}`)
      // Code says what it adds only now that it may run.
      if (next.isCode) output.print(...additionLines(await findTrustFile(next.path, target.environment, AS_HERE), work))
    } else {
      isDeclined = true
    }
  }
  const files = [...shown.values()]
  output.show({ files: files.map((file) => fileDocument(file, approved)), approved }, () =>
    endLines(work, files, approved),
  )
  if (isDeclined) return DECLINED
  return files.some((file) => file.state !== 'approved' && faultOf(file) !== undefined) ? UNUSABLE : 0
}

function additionLines(file: TrustFile | undefined, { output }: Work): readonly string[] {
  const { servers = [], problems = [] } = file ?? {}
  return [
    ...servers.flatMap(serverLines),
    ...problems
      .filter(({ severity }) => severity !== 'info')
      .flatMap(({ severity, path, message }) => wrap([`${severity}:`, path, message].join(' '), output.width, '  ')),
  ]
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
  const { state, path, refusal, problems } = file
  if (state === 'refused') {
    const why = refusal === 'foreign' ? 'another user owns it or a part of it' : 'others can write it or a part of it'
    const all = [path, ...file.parts]
    return { why, todo: `Run \`${all.map((one) => refusalFix(one, refusal)).join(' && ')}\`, then this again.` }
  }
  // A client's file is used as far as it can be read; our own as a whole.
  const errors = file.source === 'config' ? problems.filter(({ severity }) => severity === 'error') : []
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
  return files.every(({ state }) => state === 'approved') ? ['Nothing to do: all of it is approved as it is.'] : []
}
