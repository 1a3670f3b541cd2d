import { describe, expect, it } from 'vitest'
import { readBatch } from './batch-file.ts'

const lines = (...all: readonly string[]) => all.join('\r\n')
const read = (text: string, { existing = [] as readonly string[], npmPrefix = 'C:\\Ada\\npm' } = {}) =>
  readBatch(text, { file: 'C:\\p\\.bin\\x.cmd', npmPrefix, isFile: async (path) => existing.includes(path) })

/** The output of cmd-shim 5 to 8 for a script with `#!/usr/bin/env node --no-warnings`. */
const NPM_SHIM = lines(
  '@ECHO off',
  'GOTO start',
  ':find_dp0',
  'SET dp0=%~dp0',
  'EXIT /b',
  ':start',
  'SETLOCAL',
  'CALL :find_dp0',
  '',
  'IF EXIST "%dp0%\\node.exe" (',
  '  SET "_prog=%dp0%\\node.exe"',
  ') ELSE (',
  '  SET "_prog=node"',
  '  SET PATHEXT=%PATHEXT:;.JS;=;%',
  ')',
  '',
  'endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%" --no-warnings "%dp0%\\..\\pkg\\cli.js" %*',
  '',
)
const PNPM_SHIM = lines(
  '@SETLOCAL',
  '@IF NOT DEFINED NODE_PATH (',
  '  @SET "NODE_PATH=C:\\p\\a;C:\\p\\b"',
  ') ELSE (',
  '  @SET "NODE_PATH=C:\\p\\a;C:\\p\\b;%NODE_PATH%"',
  ')',
  '@IF EXIST "%~dp0\\node.exe" (',
  '  "%~dp0\\node.exe"  "%~dp0\\..\\pkg\\cli.js" %*',
  ') ELSE (',
  '  @SET PATHEXT=%PATHEXT:;.JS;=;%',
  '  node  "%~dp0\\..\\pkg\\cli.js" %*',
  ')',
  '',
)
const OLD_SHIM = lines(
  '@IF EXIST "%~dp0\\node.exe" (',
  '  "%~dp0\\node.exe"  "%~dp0\\..\\pkg\\cli.js" %*',
  ') ELSE (',
  '  @SETLOCAL',
  '  @SET PATHEXT=%PATHEXT:;.JS;=;%',
  '  node  "%~dp0\\..\\pkg\\cli.js" %*',
  ')',
)
const NPX = lines(
  ":: Created by npm, please don't edit manually.",
  '@ECHO OFF',
  'SETLOCAL',
  'SET "NPX_CLI_JS=%~dp0\\node_modules\\npm\\bin\\npx-cli.js"',
  '"%NODE_EXE%" "%NPX_CLI_JS%" %*',
)

describe('the shims of package managers', () => {
  it('reads the shims of package managers as node and the script that they start', async () => {
    const script = 'C:\\p\\pkg\\cli.js'
    expect(await read(NPM_SHIM)).toEqual({ kind: 'runs', program: 'node', args: ['--no-warnings', script] })
    expect(await read(OLD_SHIM)).toEqual({ kind: 'runs', program: 'node', args: [script] })
    const nodePath = 'C:\\p\\a;C:\\p\\b'
    expect(await read(PNPM_SHIM)).toEqual({ kind: 'runs', program: 'node', args: [script], nodePath })
  })

  it('uses the node.exe in the folder of a shim if there is one', async () => {
    expect(await read(OLD_SHIM, { existing: ['C:\\p\\.bin\\node.exe'] })).toMatchObject({
      program: 'C:\\p\\.bin\\node.exe',
    })
  })

  it('reads a shim without a script as its program', async () => {
    const head = NPM_SHIM.split('\r\n').slice(0, 8)
    const text = lines(...head, '"%dp0%\\..\\pkg\\tool.exe"   %*')
    expect(await read(text)).toEqual({ kind: 'runs', program: 'C:\\p\\pkg\\tool.exe', args: [] })
  })

  it('does not recognize a shim when a line was added or changed', async () => {
    expect((await read(`${NPM_SHIM}\r\necho %*\r\n`)).kind).toBe('opaque')
    expect((await read(NPM_SHIM.replace('EXIT /b', 'CALL other %*'))).kind).toBe('opaque')
    expect((await read(OLD_SHIM.replace('node  "', 'node "%EVIL%" "'))).kind).toBe('opaque')
  })
})

it('reads npx.cmd as the npx that the user has installed, otherwise the one next to node.exe', async () => {
  const script = 'node_modules\\npm\\bin\\npx-cli.js'
  const beside = `C:\\p\\.bin\\${script}`
  const users = `C:\\Ada\\npm\\${script}`
  const node = 'C:\\p\\.bin\\node.exe'
  expect(await read(NPX, { existing: [beside, node] })).toEqual({ kind: 'runs', program: node, args: [beside] })
  expect(await read(NPX, { existing: [beside, users] })).toEqual({ kind: 'runs', program: 'node', args: [users] })
})

describe('a hand-written batch file', () => {
  it('reads a batch file as its program if it does nothing else', async () => {
    const text = lines(
      '@echo off',
      'rem The server.',
      'cd /d "%~dp0"',
      'call "C:\\My Py\\python.exe" -u "%~dp0s.py" %*',
    )
    expect(await read(text)).toEqual({
      kind: 'runs',
      program: 'C:\\My Py\\python.exe',
      args: ['-u', 'C:\\p\\.bin\\s.py'],
      cwd: 'C:\\p\\.bin',
    })
    expect(await read('@node --dir=%~dp0x s.js %*')).toMatchObject({ args: ['--dir=C:\\p\\.bin\\x', 's.js'] })
  })

  it('reads a batch file as forwarding if it does more, but each line with arguments only starts a program', async () => {
    expect(await read(lines('set MODE=x', 'node s.js %*'))).toEqual({ kind: 'forwards', programs: ['node'] })
    const branches = lines('if exist a (', 'node a.js %1 %2', ') else (', 'python b.py %*', ')')
    expect(await read(branches)).toEqual({ kind: 'forwards', programs: ['node', 'python'] })
  })

  it.each([
    ['removes the quotes of its arguments', 'node s.js %~1'],
    ['puts its arguments inside other quotes', 'set "ALL=%*"'],
    ['keeps its arguments in a variable', lines('set ALL=%*', 'node s.js %ALL%')],
    ['loops over its arguments', 'for %%a in (%*) do node s.js %%a'],
    ['prints its arguments', 'echo %*'],
    ['joins a second command', 'node s.js %* & node t.js'],
    ['pipes its output', 'node s.js %* | more'],
    ['enables delayed expansion', lines('setlocal EnableDelayedExpansion', 'node s.js %*')],
    ['uses `call` next to other lines', lines('set A=1', 'call node s.js %*')],
    ['continues a line', lines('set A=^', 'node s.js %*')],
    ['changes where programs are found', lines('set PATH=C:\\x;%PATH%', 'node s.js %*')],
    ['names its program with a variable', '"%NODE%" s.js %*'],
    ['does not use its arguments', 'node s.js'],
  ])('treats a batch file as opaque if it %s', async (_, text) => {
    expect((await read(text)).kind).toBe('opaque')
  })
})
