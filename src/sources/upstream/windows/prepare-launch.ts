// Converts a configured command line to one that Windows can start. Avoids cmd.exe if a batch file allows it.

import { readFile, stat } from 'node:fs/promises'
import { win32 } from 'node:path'
import { mergeVariables, readVariable } from '../../../core/variables.ts'
import { type Batch, readBatch } from './batch-file.ts'
import { batchLine } from './batch-line.ts'
import { findProgram, isBatchFile, isRealFile, isStartable } from './find-program.ts'

interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

interface PreparedLaunch extends CommandLine {
  /** True if the arguments are one line for cmd.exe and must not be quoted again. */
  readonly isVerbatim: boolean
}

/** The maximum number of batch files that start each other. A longer chain is treated as a loop. */
const MAX_BATCH_FILES = 5
/** A batch file that only starts a program is small. */
const MAX_BATCH_BYTES = 64 * 1_024

/** Rejects with a reason that can follow the name of the server in a sentence. */
export async function prepareLaunch(given: CommandLine): Promise<PreparedLaunch> {
  let line = given
  for (let count = 0; count < MAX_BATCH_FILES; count++) {
    const file = await findProgram(line.command, line)
    if (file === undefined) throw new Error(notFound(given.command, line.command))
    if (!isStartable(file)) {
      throw new Error(`the command '${file}' is a script, which Windows cannot start; name its program as the command`)
    }
    if (!isBatchFile(file)) return { ...line, command: file, isVerbatim: false }
    const batch = await readBatchFile(file, line)
    if (batch.kind !== 'runs') return throughShell(file, line, await opaqueUnlessPrograms(batch, line))
    line = withoutBatchFile(batch, line)
  }
  throw new Error(`the command '${given.command}' leads from one batch file to another without an end`)
}

/** The command line that starts the program of the batch file directly. */
function withoutBatchFile({ program, args, cwd, nodePath }: Extract<Batch, { kind: 'runs' }>, line: CommandLine) {
  const before = readVariable(line.env, 'NODE_PATH', 'win32')
  const paths = [nodePath, before].filter((one) => one !== undefined && one !== '').join(';')
  return {
    command: program,
    args: [...args, ...line.args],
    cwd: cwd ?? line.cwd,
    env: nodePath === undefined ? line.env : mergeVariables([line.env, { NODE_PATH: paths }], 'win32'),
  }
}

async function readBatchFile(file: string, line: CommandLine): Promise<Batch> {
  const appData = readVariable(line.env, 'APPDATA', 'win32')
  const { size } = await stat(file)
  if (size > MAX_BATCH_BYTES) return { kind: 'opaque' }
  return readBatch(await readFile(file, 'utf8'), {
    file,
    isFile: isRealFile,
    ...(appData === undefined ? {} : { npmPrefix: win32.join(appData, 'npm') }),
  })
}

/** Opaque if a program is a second batch file or a command of cmd.exe, which may do anything with its arguments. */
async function opaqueUnlessPrograms(batch: Exclude<Batch, { kind: 'runs' }>, line: CommandLine): Promise<typeof batch> {
  if (batch.kind === 'opaque') return batch
  const found = await Promise.all(batch.programs.map((program) => findProgram(program, line)))
  const isProgram = (file: string | undefined) => file !== undefined && isStartable(file) && !isBatchFile(file)
  return found.every(isProgram) ? batch : { kind: 'opaque' }
}

function throughShell(file: string, line: CommandLine, batch: Exclude<Batch, { kind: 'runs' }>): PreparedLaunch {
  const made = batchLine(file, line.args, batch)
  if (!made.ok) throw new Error(`${made.reason}; ${made.todo}`)
  return { ...line, command: systemProgram('cmd.exe', line.env), args: [made.line], isVerbatim: true }
}

/** The full path of a program of Windows, so that a program in the current folder is not used. */
export function systemProgram(name: string, env: Readonly<Record<string, string | undefined>>): string {
  return win32.join(readVariable(env, 'SystemRoot', 'win32') ?? 'C:\\Windows', 'System32', name)
}

function notFound(command: string, missing: string): string {
  const through = command === missing ? '' : `, which '${command}' starts,`
  return `the command '${missing}'${through} was not found`
}
