// Converts a configured command line to one that Windows can start: finds the program, and avoids cmd.exe if possible.

import { readFile, stat } from 'node:fs/promises'
import { win32 } from 'node:path'
import { mergeVariables, readVariable } from '../../../core/variables.ts'
import { type Batch, readBatch } from './batch-file.ts'

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

/** A chain of this many batch files, each of which starts the next, is treated as a loop. */
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
      throw new Error(
        `Windows cannot start '${file}' as a program; name the program that runs it, such as node or python, as the command, and this file as its first argument`,
      )
    }
    if (!isBatchFile(file)) return { ...line, command: file, isVerbatim: false }
    const batch = await readBatchFile(file, line)
    if (batch.kind !== 'runs') return throughShell(file, line, await opaqueUnlessPrograms(batch, line))
    line = withoutBatchFile(batch, line)
  }
  throw new Error(
    `the command '${given.command}' starts a chain of ${MAX_BATCH_FILES} batch files; set the command to the program that the last one starts`,
  )
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
  if (!made.ok) throw new Error(made.reason)
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

type BatchLine = { readonly ok: true; readonly line: string } | { readonly ok: false; readonly reason: string }
const MAX_LINE_CHARS = 8_191

/**
 * Programs that read `""` inside quotes as one quote, like the C runtime since 2008. Others, such as programs written
 * in Go, would start a new argument.
 */
const READS_DOUBLED_QUOTES = /^(?:node|python\d*(?:\.\d+)?|pythonw|py|deno|uvx?)$/i

/**
 * Writes the line for cmd.exe, or returns the reason why an argument cannot be passed. Carets do not protect an
 * argument: the `%*` of a batch file is parsed again, and each parser removes one caret. Quotes protect it, because
 * every parser sees the same pairs: each argument is in one pair, and a quote inside it is doubled. A percent sign has
 * no escape that survives every parser, so it is refused.
 */
export function batchLine(file: string, args: readonly string[], batch: Exclude<Batch, { kind: 'runs' }>): BatchLine {
  const readsAll = batch.kind === 'forwards' ? batch.programs.every(readsDoubledQuotes) : false
  const forbidden = batch.kind === 'opaque' ? /["&|<>^%!()]/ : readsAll ? /%/ : /["%]/
  for (const [index, arg] of args.entries()) {
    const [found] = /\p{Cc}/u.exec(arg.replaceAll('\t', '')) ?? forbidden.exec(arg) ?? []
    if (found !== undefined) return refusal(`its argument ${index + 1} contains ${nameOf(found)}`, file)
  }
  const [inPath] = /[%!"]/.exec(file) ?? []
  if (inPath !== undefined) return refusal(`its path contains ${nameOf(inPath)}`, file)
  const words = [`"${file}"`, ...args.map(quoted)].join(' ')
  // With /s, cmd.exe removes exactly the outer pair of quotes.
  const line = `/d /e:on /v:off /s /c "${words}"`
  return line.length > MAX_LINE_CHARS
    ? refusal(`its arguments are longer than cmd.exe allows`, file)
    : { ok: true, line }
}

function refusal(reason: string, file: string): BatchLine {
  const todo = 'set the command to the program that it starts, such as node or python with the script'
  return { ok: false, reason: `${reason}, which cannot be passed safely through the batch file '${file}'; ${todo}` }
}

function readsDoubledQuotes(program: string): boolean {
  const name = program.split(/[\\/]/).at(-1) ?? ''
  return READS_DOUBLED_QUOTES.test(name.replace(/\.exe$/i, ''))
}

/** A plain word stays unquoted: batch files compare their arguments, as in `if "%1"=="start"`. */
function quoted(arg: string): string {
  if (/^[\w./:@+#\\-]+$/.test(arg)) return arg
  // A program halves the backslashes before a quote and leaves other backslashes unchanged.
  return `"${arg.replace(/(\\*)"/g, '$1$1""').replace(/\\+$/, '$&$&')}"`
}

function nameOf(character: string): string {
  if (/\p{Cc}/u.test(character)) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return character === '\n' || character === '\r' ? 'a line break' : `a control character (U+${code})`
  }
  return `the character ${character}`
}

interface FindProgramOptions {
  /** The whole environment of the server. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** For tests. */
  readonly isFile?: IsFile
}

type IsFile = (path: string) => Promise<boolean>

/** The extensions that Windows starts as a process. For other extensions in PATHEXT it opens another program. */
const STARTABLE = ['.com', '.exe', '.bat', '.cmd']

/**
 * The path of the file to start. Undefined if there is none. Unlike cmd.exe, it never looks for a bare name in the
 * current folder, because a file in that folder must not replace a program such as `npx`.
 */
export async function findProgram(command: string, options: FindProgramOptions): Promise<string | undefined> {
  const { env, cwd, isFile = isRealFile } = options
  for (const folder of foldersOf(command, env)) {
    for (const name of namesOf(command, env)) {
      const file = win32.resolve(cwd, folder, name)
      if (await isFile(file)) return file
    }
  }
  return undefined
}

function isBatchFile(file: string): boolean {
  return /\.(?:bat|cmd)$/i.test(file)
}

/** False for a script such as `server.js`: Windows can start it only through the program for its extension. */
export function isStartable(file: string): boolean {
  return STARTABLE.includes(win32.extname(file).toLowerCase())
}

function foldersOf(command: string, env: FindProgramOptions['env']): readonly string[] {
  if (/[\\/]|^[a-z]:/i.test(command)) return ['']
  const path = readVariable(env, 'PATH', 'win32') ?? ''
  // A quoted entry may contain a semicolon.
  return Array.from(path.matchAll(/(?:"[^"]*"|[^;"])+/g), ([entry]) => entry.replaceAll('"', '').trim()).filter(Boolean)
}

/** A name without an extension never matches unchanged: next to `npx.cmd` there is `npx`, a script for POSIX shells. */
function namesOf(command: string, env: FindProgramOptions['env']): readonly string[] {
  const listed = (readVariable(env, 'PATHEXT', 'win32') ?? '').split(';').map((one) => one.trim().toLowerCase())
  const endings = [...new Set([...listed, '.com', '.exe'])].filter((one) => STARTABLE.includes(one))
  const all = listed.some((one) => STARTABLE.includes(one)) ? endings : STARTABLE
  const withEndings = all.map((ending) => `${command}${ending}`)
  return win32.extname(command) === '' ? withEndings : [command, ...withEndings]
}

async function isRealFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}
