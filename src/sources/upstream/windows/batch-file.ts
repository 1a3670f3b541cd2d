// Finds out how a batch file uses its arguments. Most batch files only start one program, which needs no cmd.exe.

import { win32 } from 'node:path'

export type Batch =
  /** It only starts this program with these arguments, followed by the arguments of the batch file. */
  | {
      readonly kind: 'runs'
      readonly program: string
      readonly args: readonly string[]
      /** The folder that it changes to first. */
      readonly cwd?: string
      /** The folders that it puts in front of NODE_PATH. */
      readonly nodePath?: string
    }
  /** It does more, but each argument is passed unchanged and quoted to these programs. */
  | { readonly kind: 'forwards'; readonly programs: readonly string[] }
  /** It may remove the quotes of an argument or expand it again. */
  | { readonly kind: 'opaque' }

interface BatchFileOptions {
  readonly file: string
  readonly isFile: (path: string) => Promise<boolean>
  /** Where npm installs packages for the user: `%APPDATA%\npm`. */
  readonly npmPrefix?: string
}

const OPAQUE: Batch = { kind: 'opaque' }

export async function readBatch(text: string, options: BatchFileOptions): Promise<Batch> {
  const folder = win32.dirname(options.file)
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const launcher = await readNpmLauncher(lines, folder, options)
  if (launcher !== undefined) return launcher
  const { nodePath, rest } = withoutNodePath(lines)
  const shim = readShim(rest)
  if (shim === undefined) return readLines(lines, folder)
  const [program = '', ...args] = shim.map((word) => atFolder(word, folder))
  const beside = win32.join(folder, `${program}.exe`)
  const isBeside = !/[\\/]/.test(program) && (await options.isFile(beside))
  return { kind: 'runs', program: isBeside ? beside : program, args, ...(nodePath === undefined ? {} : { nodePath }) }
}

/** Reads the `npm.cmd` and `npx.cmd` next to node.exe. They prefer the npm that the user has installed. */
async function readNpmLauncher(
  lines: readonly string[],
  folder: string,
  { isFile, npmPrefix }: BatchFileOptions,
): Promise<Batch | undefined> {
  const [, name] = /^"%NODE_EXE%" "%(NPM|NPX)_CLI_JS%" %\*$/.exec(lines.at(-1) ?? '') ?? []
  if (name === undefined || !/^:: Created by npm\b/.test(lines[0] ?? '')) return undefined
  const script = win32.join('node_modules', 'npm', 'bin', `${name.toLowerCase()}-cli.js`)
  const candidates = [npmPrefix, folder].filter((one) => one !== undefined).map((one) => win32.join(one, script))
  const node = win32.join(folder, 'node.exe')
  for (const cli of candidates) {
    if (await isFile(cli)) return { kind: 'runs', program: (await isFile(node)) ? node : 'node', args: [cli] }
  }
  return undefined
}

/** The first lines of npm's shims. They set `dp0` to the folder of the shim. */
const FIND_DP0 = [
  '@ECHO off',
  'GOTO start',
  ':find_dp0',
  'SET dp0=%~dp0',
  'EXIT /b',
  ':start',
  'SETLOCAL',
  'CALL :find_dp0',
]

// The lines that npm, pnpm, yarn and corepack write into node_modules/.bin. {0} is the program, such as `node`. {1} is
// its flags and the script, such as `--flag "%dp0%\..\pkg\cli.js"`. Without {0}, {1} is the program and its flags.
const SHIMS: readonly (readonly string[])[] = [
  [
    ...FIND_DP0,
    'IF EXIST "%dp0%\\{0}.exe" (',
    'SET "_prog=%dp0%\\{0}.exe"',
    ') ELSE (',
    'SET "_prog={0}"',
    'SET PATHEXT=%PATHEXT:;.JS;=;%',
    ')',
    'endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%" {1} %*',
  ],
  [
    '@SETLOCAL',
    '@IF EXIST "%~dp0\\{0}.exe" (',
    '"%~dp0\\{0}.exe" {1} %*',
    ') ELSE (',
    '@SET PATHEXT=%PATHEXT:;.JS;=;%',
    '{0} {1} %*',
    ')',
  ],
  [
    '@IF EXIST "%~dp0\\{0}.exe" (',
    '"%~dp0\\{0}.exe" {1} %*',
    ') ELSE (',
    '@SETLOCAL',
    '@SET PATHEXT=%PATHEXT:;.JS;=;%',
    '{0} {1} %*',
    ')',
  ],
  [...FIND_DP0, '{1} %*'],
]

/** Removes the five lines about NODE_PATH that pnpm writes into a shim after its first line. */
function withoutNodePath(lines: readonly string[]): { readonly nodePath?: string; readonly rest: readonly string[] } {
  const [, nodePath] = /^@SET "NODE_PATH=([^"%!]+)"$/.exec(lines[2] ?? '') ?? []
  const block = ['@IF NOT DEFINED NODE_PATH (', lines[2], ') ELSE (', `@SET "NODE_PATH=${nodePath};%NODE_PATH%"`, ')']
  const isThere = nodePath !== undefined && block.every((line, at) => lines[at + 1] === line)
  return isThere ? { nodePath, rest: [...lines.slice(0, 1), ...lines.slice(6)] } : { rest: lines }
}

/** The program and its arguments. Undefined if any line of the file does not match a shim. */
function readShim(lines: readonly string[]): readonly string[] | undefined {
  for (const shim of SHIMS) {
    if (shim.length !== lines.length) continue
    const found = lines.map((line, at) => partsOf(line, shim[at] ?? ''))
    if (found.includes(undefined)) continue
    const [programs = [], rests = []] = [0, 1].map((index) => [
      ...new Set(found.flatMap((parts) => parts?.[index] ?? [])),
    ])
    // Both branches of a shim start the same script.
    if (programs.length > 1 || rests.length !== 1) continue
    const words = splitWords(rests[0] ?? '')
    if (words !== undefined) return [...programs, ...words]
  }
  return undefined
}

/** The texts at `{0}` and `{1}` of a pattern, each as a list. Undefined if the line does not match. */
function partsOf(line: string, pattern: string): readonly (readonly string[])[] | undefined {
  const source = squeeze(pattern)
    .replace(/[\\^$.*+?()[\]|]/g, '\\$&')
    .replaceAll('{0}', '(?<program>[\\w.-]+)')
    .replaceAll('{1}', '(?<rest>.+)')
  const found = new RegExp(`^@?${source.replace(/^@/, '')}$`, 'i').exec(squeeze(line))
  if (found === null) return undefined
  const { program, rest } = found.groups ?? {}
  return [program === undefined ? [] : [program], rest === undefined ? [] : [rest]]
}

/** Replaces each run of spaces and tabs with one space. */
function squeeze(line: string): string {
  return line.replace(/[ \t]+/g, ' ').trim()
}

/** Lines without an effect on the program, unless they contain an argument. */
const NO_EFFECT =
  /^(?:@?echo off|@?setlocal|@?endlocal|@?exit(?: \/b)?(?: \d+| %errorlevel%)?|:.*|@?rem\b.*|@?title [\w ]+)$/i
const TO_OWN_FOLDER = /^@?(?:cd(?: \/d)?|pushd) "?%~dp0\.?"?$/i
const ARGUMENT = /%(?:\*|\d|~[^%\s"]*\d)/
const OWN_FOLDER = /%~dp0/gi

/** Reads a batch file that is not a shim. */
function readLines(lines: readonly string[], folder: string): Batch {
  // Continued lines, delayed expansion and a changed PATH alter the meaning of other lines.
  if (lines.some((line) => /\^$|delayedexpansion|\/v(?::on)?\b|\bset\b.*\bpath(?:ext)?\s*=/i.test(line))) return OPAQUE
  const using = lines.filter((line) => ARGUMENT.test(line.replace(OWN_FOLDER, '')))
  const programs = using.map(readProgramLine)
  const known = programs.filter((words) => words !== undefined)
  if (known.length !== using.length || known.length === 0) return OPAQUE
  const [first = []] = known
  const others = lines.filter((line) => !using.includes(line) && !NO_EFFECT.test(squeeze(line)))
  const moves = others.filter((line) => TO_OWN_FOLDER.test(squeeze(line)))
  const [program = '', ...args] = first.slice(0, -1).map((word) => atFolder(word, folder))
  const takesAll = first.at(-1) === '%*'
  if (known.length === 1 && takesAll && others.length === moves.length) {
    return { kind: 'runs', program, args, ...(moves.length === 0 ? {} : { cwd: folder }) }
  }
  // `call` parses the line a second time and doubles carets.
  if (using.some((line) => /^@?\s*call\b/i.test(line))) return OPAQUE
  return { kind: 'forwards', programs: known.map(([name = '']) => atFolder(name, folder)) }
}

/** Commands of cmd.exe itself, and labels. */
const BUILTIN =
  /^(?:[:@].*|assoc|break|call|cd|chdir|cls|cmd(?:\.exe)?|color|copy|date|del|dir|echo\S*|endlocal|erase|exit|for|ftype|goto|if|md|mkdir|mklink|move|path|pause|popd|prompt|pushd|rd|rem|ren|rename|rmdir|set|setlocal|shift|start|time|title|type|ver|verify|vol)$/i

/** Splits `@node "%~dp0server.js" %*` into words, with the arguments last. Undefined if the line does anything else. */
function readProgramLine(line: string): readonly string[] | undefined {
  const [, body = '', given = ''] = /^@?\s*(?:call\s+)?(.*?)((?:\s+%(?:\*|[1-9]))+)$/i.exec(line) ?? []
  const words = splitWords(body)
  const [program = ''] = words ?? []
  if (words === undefined || BUILTIN.test(program)) return undefined
  return [...words, given.trim()]
}

/** Undefined if a word contains characters that cmd.exe interprets, except for `%~dp0` and `%dp0%`. */
function splitWords(text: string): readonly string[] | undefined {
  const words = text.match(/"[^"]*"|[^\s"]+/g) ?? []
  const plain = words.map((word) => word.replaceAll('"', ''))
  const isWhole = squeeze(words.join(' ')) === squeeze(text)
  const isText = words.every(
    (word) => !(word.startsWith('"') ? /[%!]/ : /[%!&|<>^()]/).test(word.replace(/%(?:~dp0|dp0%)/gi, '')),
  )
  return isWhole && isText && plain.length > 0 ? plain : undefined
}

/** Replaces `%~dp0` and `%dp0%` with the folder of the batch file. */
function atFolder(word: string, folder: string): string {
  const replaced = word.replace(/%(?:~dp0|dp0%)\\?/gi, () => `${folder}\\`)
  return /^%~?dp0/i.test(word) ? win32.normalize(replaced) : replaced
}
