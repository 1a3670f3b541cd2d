// Writes a plan for our own config: the config file, and the secret values that it refers to.

import { access, constants, open, readFile, rm, truncate } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { raise } from '../core/errors.ts'
import { messageOf } from '../core/text.ts'
import { readVariable } from '../core/variables.ts'
import { makeFolder } from '../storage/make-folder.ts'
import type { PlannedChange } from './config-plan.ts'
import type { Environment, SetupJob } from './environment.ts'
import { checkReplaceable, replaceFile, withWriteLock } from './files/write-file.ts'
import type { ExtractedSecret } from './files/write-secrets.ts'
import { isAccessibleToOthers, secretLine, secretsFile, secretsWritten } from './secrets-file.ts'

export interface WrittenPlan {
  readonly file: string
  readonly backup: string | undefined
  /** The file with the secret values. */
  readonly secretsFile: string | undefined
  /** The variables with values that the secrets file cannot store. The user must set them. */
  readonly toExport: readonly string[]
}

const CHECK_VALUES = 'Its older values were not used before and are used from now on: check them.'

export async function writePlan(job: SetupJob, plan: Omit<PlannedChange, 'isOfProject'>): Promise<WrittenPlan> {
  if (plan.after === plan.before) {
    return { file: plan.file, backup: undefined, secretsFile: undefined, toExport: [] }
  }
  // Fails before it creates a lock, if the file cannot be replaced.
  await checkReplaceable(plan.file, plan.before)
  return withSetupLock(job, plan.file, async () => {
    await checkReplaceable(plan.file, plan.before)
    // Writes the values first, because a config with references to missing values starts no server.
    const { undo, ...stored } = await storeSecrets(job, plan.secrets)
    try {
      return { file: plan.file, backup: await replaceFile(plan.file, plan), ...stored }
    } catch (error) {
      await undo().catch(() => {}) // reports only the first error
      throw error
    }
  })
}

/** The files that `writePlan` would write. */
export function filesOf({ environment }: SetupJob, plan: Omit<PlannedChange, 'isOfProject'>): readonly string[] {
  const { file, before, after, secrets } = plan
  return [
    ...(after === before ? [] : [file]),
    ...(freshOf(secrets, environment).some(({ name, value }) => secretLine(name, value) !== undefined)
      ? [secretsFile(environment)]
      : []),
  ]
}

/** The secrets with a value that is not in the environment yet. */
function freshOf(secrets: readonly ExtractedSecret[], environment: Environment): readonly ExtractedSecret[] {
  const { env, platform } = environment
  return secrets.filter(({ name, value }) => readVariable(env, name, platform) !== value)
}

/** Without a lock, two processes could choose the same free name for different values. */
async function withSetupLock<T>({ environment, signal }: SetupJob, file: string, write: () => Promise<T>): Promise<T> {
  const { stateDir } = environment
  try {
    await makeFolder(stateDir)
    await access(stateDir, constants.W_OK)
  } catch {
    // If the state folder is not writable, no process can create a lock there.
    return write()
  }
  return withWriteLock({ path: join(stateDir, 'setup.lock'), file, what: 'a config' }, write, { signal })
}

type StoredSecrets = Pick<WrittenPlan, 'secretsFile' | 'toExport'> & Pick<AddedSecrets, 'undo'>

const NOTHING_STORED: StoredSecrets = { secretsFile: undefined, toExport: [], undo: async () => {} }

async function storeSecrets(
  { environment, output }: SetupJob,
  secrets: readonly ExtractedSecret[],
): Promise<StoredSecrets> {
  const fresh = freshOf(secrets, environment)
  if (fresh.length === 0) return NOTHING_STORED
  const file = secretsFile(environment)
  const storedNames = checkNames(file, fresh)
  const lines = new Map(fresh.map(({ name, value }) => [name, secretLine(name, value)]))
  const writable = [...lines].flatMap(([name, line]) => (line === undefined || storedNames.has(name) ? [] : [line]))
  const toExport = [...lines].filter(([, line]) => line === undefined).map(([name]) => name)
  if (toExport.length === lines.size) return { ...NOTHING_STORED, toExport }
  try {
    // `writable` may be empty: `addSecrets` also makes the file private, because `readSecrets` ignores a file that
    // other users can access.
    const { wasAccessible, undo } = await addSecrets(file, writable)
    if (wasAccessible && environment.platform !== 'win32') {
      output.note(`Other users could read or change ${file}; now only you can (mode 0600). ${CHECK_VALUES}`)
    }
    return { secretsFile: file, toExport, undo }
  } catch (error) {
    output.note(`${file} cannot be written: ${messageOf(error)}`)
    return { ...NOTHING_STORED, toExport: [...lines.keys()] }
  }
}

/**
 * The names that the file has with the same value. Raises if the file has another value for one of the names: another
 * program added it after the names were chosen.
 */
function checkNames(file: string, secrets: readonly ExtractedSecret[]): ReadonlySet<string> {
  const written = secretsWritten(file)
  const there = secrets.filter(({ name }) => written[name] !== undefined)
  const changed = there.find(({ name, value }) => written[name] !== value)
  if (changed === undefined) return new Set(there.map(({ name }) => name))
  const todo = 'Run the command again: it then uses the current file.'
  const reason = `another program added ${changed.name} to it in the meantime`
  return raise('CONFIG_UNWRITABLE', { file, reason, todo })
}

const HEADER = '# Values that toolcrib puts in place of the references in its config.\n'

interface AddedSecrets {
  /** Whether other users could read or change the file before. */
  readonly wasAccessible: boolean
  /** Restores the file, unless another program has written to it since. */
  undo(): Promise<void>
}

/**
 * Appends values to the secrets file: `lines` come from `secretLine`. If two processes append at the same time, the
 * values of both are kept. Afterwards only this user can access the file.
 */
export async function addSecrets(file: string, lines: readonly string[]): Promise<AddedSecrets> {
  await makeFolder(dirname(file))
  const handle = await open(file, 'a+', 0o600)
  try {
    const { size, mode } = await handle.stat()
    await handle.chmod(0o600)
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(size - 1, 0))
    // If the last line has no line break, the values start on a new line.
    const lineBreak = buffer.toString() === '\n' ? '' : '\n'
    const start = size === 0 ? HEADER : lineBreak
    const added = Buffer.from(`${start}${lines.map((line) => `${line}\n`).join('')}`)
    await handle.appendFile(added)
    await handle.sync()
    return { wasAccessible: isAccessibleToOthers(mode), undo: () => removeAdded(file, size, added) }
  } finally {
    await handle.close()
  }
}

/** `size` is the size of the file before the addition. */
async function removeAdded(file: string, size: number, added: Buffer): Promise<void> {
  const bytes = await readFile(file)
  if (!bytes.subarray(size).equals(added)) return
  await (size === 0 ? rm(file) : truncate(file, size))
}
