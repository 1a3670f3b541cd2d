// Carries out what was planned for our own config: the file itself, and the values behind its references.

import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { checkReplaceable, replaceFile } from '../../config/write-file.ts'
import type { ExtractedSecret } from '../../config/write-secrets.ts'
import { raise } from '../../core/errors.ts'
import { messageOf } from '../../core/text.ts'
import { readVariable } from '../../core/variables.ts'
import { LockHeld, withLock } from '../../storage/file-lock.ts'
import { makeFolder } from '../../storage/make-folder.ts'
import type { Environment } from '../environment.ts'
import { secretLine, secretsFile, secretsWritten } from '../secrets-file.ts'
import type { Work } from '../work.ts'
import { type AddedSecrets, addSecrets } from './add-secrets.ts'
import type { ConfigPlan } from './config-plan.ts'

export interface WrittenPlan {
  readonly file: string
  readonly backup: string | undefined
  /** The file with the values, and the variables whose value had to be left out of it. */
  readonly secretsFile: string | undefined
  readonly toExport: readonly string[]
}

/** Far more than it takes to write two files. */
const MAX_WAIT_MS = 10_000
const CHECK_VALUES = 'Its older values were not in use, and are from now on: look through them.'

export async function writePlan(work: Work, plan: ConfigPlan): Promise<WrittenPlan> {
  if (plan.after === plan.before) {
    return { file: plan.file, backup: undefined, secretsFile: undefined, toExport: [] }
  }
  // Before anything is made for it, a lock for one.
  await checkReplaceable(plan.file, plan.before)
  return oneAtATime(work, async () => {
    await checkReplaceable(plan.file, plan.before)
    // The values first: a config that refers to what is nowhere would start nothing.
    const { undo, ...kept } = await keepSecrets(work, plan.secrets)
    try {
      return { file: plan.file, backup: await replaceFile(plan.file, plan), ...kept }
    } catch (error) {
      await undo().catch(() => {}) // the first error says more
      throw error
    }
  })
}

/** Every file that `writePlan` would write. */
export function filesOf({ environment }: Work, { file, before, after, secrets }: ConfigPlan): readonly string[] {
  return [
    ...(after === before ? [] : [file]),
    ...(freshOf(secrets, environment).some(({ name, value }) => secretLine(name, value) !== undefined)
      ? [secretsFile(environment)]
      : []),
  ]
}

/** Those whose value is not known here already. */
function freshOf(secrets: readonly ExtractedSecret[], environment: Environment): readonly ExtractedSecret[] {
  const { env, platform } = environment
  return secrets.filter(({ name, value }) => readVariable(env, name, platform) !== value)
}

/** Two that chose the same free name for different values would both get the last one. */
async function oneAtATime<T>({ environment, signal }: Work, work: () => Promise<T>): Promise<T> {
  const lock = join(environment.stateDir, 'setup.lock')
  // Where no lock can be made, nobody has one.
  const isPossible = await makeFolder(environment.stateDir)
    .then(() => access(environment.stateDir, constants.W_OK))
    .then(
      () => true,
      () => false,
    )
  if (!isPossible) return work()
  try {
    return await withLock(lock, { waitMs: MAX_WAIT_MS, signal }, work)
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error
    const todo = 'Run it again when that has ended; if none runs, remove the file.'
    return raise('CONFIG_UNWRITABLE', { file: lock, reason: 'another toolcrib is writing its config', todo })
  }
}

type KeptSecrets = Pick<WrittenPlan, 'secretsFile' | 'toExport'> & Pick<AddedSecrets, 'undo'>

const NOTHING_KEPT: KeptSecrets = { secretsFile: undefined, toExport: [], undo: async () => {} }

async function keepSecrets({ environment, output }: Work, secrets: readonly ExtractedSecret[]): Promise<KeptSecrets> {
  const fresh = freshOf(secrets, environment)
  if (fresh.length === 0) return NOTHING_KEPT
  const file = secretsFile(environment)
  const isThere = checkNames(file, fresh)
  const lines = new Map(fresh.map(({ name, value }) => [name, secretLine(name, value)]))
  const writable = [...lines].flatMap(([name, line]) => (line === undefined || isThere.has(name) ? [] : [line]))
  try {
    const { wasLoose, undo } = await addSecrets(file, writable)
    if (wasLoose && environment.platform !== 'win32') {
      output.note(`${file} could be read or changed by others; it is yours alone now (mode 0600). ${CHECK_VALUES}`)
    }
    const toExport = [...lines].filter(([, line]) => line === undefined).map(([name]) => name)
    return { secretsFile: file, toExport, undo }
  } catch (error) {
    output.note(`${file} cannot be written: ${messageOf(error)}`)
    return { ...NOTHING_KEPT, toExport: [...lines.keys()] }
  }
}

/** Those that are there with this value. One with another came since the names were chosen. */
function checkNames(file: string, secrets: readonly ExtractedSecret[]): ReadonlySet<string> {
  const written = secretsWritten(file)
  const there = secrets.filter(({ name }) => written[name] !== undefined)
  const changed = there.find(({ name, value }) => written[name] !== value)
  if (changed === undefined) return new Set(there.map(({ name }) => name))
  const todo = 'Run it again: it starts from what is there now.'
  return raise('CONFIG_UNWRITABLE', { file, reason: `somebody else put ${changed.name} into it meanwhile`, todo })
}
