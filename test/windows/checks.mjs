// The checks that run on Windows or wine: each prints its result, and the last line has the counts.

import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect, countClients, createHome, endClients, isAlive, run, runJson, until } from './program.mjs'

const SERVER = fileURLToPath(new URL('./server.mjs', import.meta.url))
/** Texts that a shell, a batch file or a parser of command lines would change, split or run. */
const NASTY = [
  'a b',
  'x&y',
  '100%',
  '%PATH%',
  'a^b',
  '^',
  '"',
  'say "hi"',
  'x" & echo ran> ran.txt & "y',
  '<>|()',
  '!x!',
  '',
  'a\\',
  'b c\\',
  'ü€',
  '--flag=a b',
]
const NPM_SHIM = `@ECHO off\r
GOTO start\r
:find_dp0\r
SET dp0=%~dp0\r
EXIT /b\r
:start\r
SETLOCAL\r
CALL :find_dp0\r
\r
IF EXIST "%dp0%\\node.exe" (\r
  SET "_prog=%dp0%\\node.exe"\r
) ELSE (\r
  SET "_prog=node"\r
  SET PATHEXT=%PATHEXT:;.JS;=;%\r
)\r
\r
endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\..\\server.mjs" %*\r
`

const home = createHome()
const tools = join(home.folder, 'tools & more')
const place = (path, text) => home.write(join('tools & more', path), text)
place('server.mjs', readFileSync(SERVER))
const shim = place('bin/echo-server.cmd', NPM_SHIM)
const simple = place('simple.bat', '@echo off\r\nrem the server\r\nnode "%~dp0server.mjs" %*\r\n')
const busy = place(
  'busy.bat',
  '@echo off\r\nset MODE=busy\r\nif "%MODE%"=="" exit /b 1\r\nnode "%~dp0server.mjs" %*\r\n',
)
const opaque = place('opaque.bat', '@echo off\r\nset "ALL=%*"\r\nnode "%~dp0server.mjs" %ALL%\r\n')
// A package that npx finds in the project.
home.write('project/package.json', { name: 'project', version: '1.0.0', private: true })
home.write('project/node_modules/local-server/package.json', {
  name: 'local-server',
  version: '1.0.0',
  bin: 'cli.js',
  type: 'module',
})
home.write('project/node_modules/local-server/cli.js', readFileSync(SERVER))
// The older form of a shim: npm runs it through cmd.exe, and wine's cmd.exe ends at the `goto` of the newer form.
home.write('project/node_modules/.bin/local-server.cmd', '@node "%~dp0\\..\\local-server\\cli.js" %*\r\n')

const PATH = process.env.PATH
const reference = (name) => `\${${name}}`
const servers = {
  node: { command: 'node', args: [SERVER, ...NASTY] },
  npx: { command: 'npx', args: ['--no-install', 'local-server', 'from', 'npx'] },
  // This command is found by PATHEXT, on the PATH of the server's own environment.
  shim: {
    command: 'echo-server',
    args: [...NASTY, 'two\nlines'],
    env: { Path: `${join(tools, 'bin')};${PATH}`, Temp: 'C:\\mine' },
  },
  cmd: { command: shim, args: NASTY },
  simple: { command: simple, args: NASTY },
  busy: { command: busy, args: NASTY.filter((arg) => !arg.includes('%')) },
  opaque: { command: opaque, args: ['a b', '--plain', 'c\\'] },
  home: { command: 'node', args: [SERVER, reference('userprofile'), reference('FROM_SECRETS')] },
}
const broken = {
  percent: { command: busy, args: ['%PATH%'] },
  lines: { command: busy, args: ['two\nlines'] },
  injected: { command: opaque, args: ['x" & echo ran> ran.txt & "y'] },
  missing: { command: 'no-such-program' },
  script: { command: SERVER },
}
const BOM = '\ufeff'
home.write(
  join('AppData', 'Local', 'toolcrib', 'Config', 'config.json'),
  `${BOM}${JSON.stringify({ discovery: { servers } })}`,
)
home.write(join('AppData', 'Local', 'toolcrib', 'Config', 'secrets.env'), `${BOM}FROM_SECRETS=kept-here\r\n`)
const brokenConfig = home.write('broken.json', { discovery: { servers: broken } })

function expectNothingRan() {
  const folders = [home.cwd, home.folder, tools, join(tools, 'bin')]
  deepEqual(
    folders.filter((folder) => existsSync(join(folder, 'ran.txt'))),
    [],
  )
}

let passed = 0
let failed = 0
async function check(claim, work) {
  const startedAt = Date.now()
  const clients = countClients()
  try {
    await work()
    passed++
    console.log(`ok      ${claim} (${Date.now() - startedAt} ms)`)
  } catch (error) {
    endClients(clients)
    failed++
    console.log(`FAILED  ${claim}\n        ${String(error?.message ?? error).slice(0, 1_500)}`)
  }
}

await check('doctor starts an .exe, npx, a shim by name, a .cmd and a .bat by path', async () => {
  const { servers: found } = await runJson(home, ['doctor'])
  deepEqual(
    found.filter((one) => !one.ok),
    [],
  )
  equal(found.length, Object.keys(servers).length)
})

await check('doctor gives the reason for each server that cannot be started', async () => {
  const { code, servers: found } = await runJson(home, ['doctor', '--config', brokenConfig])
  equal(code, 3)
  const reasons = Object.fromEntries(found.map(({ server, faults }) => [server, faults.map(({ what }) => what).join()]))
  match(reasons.percent, /argument 1 contains the character %.*batch file/)
  match(reasons.lines, /argument 1 contains a line break/)
  match(reasons.injected, /argument 1 contains the character "/)
  match(reasons.missing, /'no-such-program' was not found/)
  match(reasons.script, /cannot start .* as a program/)
  expectNothingRan()
})

const gateway = await connect(home, ['serve'])
/** Calls a tool through the gateway and returns its result. */
const call = async (server, tool, args = {}, tries = 4) => {
  const params = { name: 'execute_tool', arguments: { server, tool, arguments: args } }
  const { content, isError } = await gateway.request('tools/call', params)
  const [{ text }] = content
  // Under wine, npx takes longer to start than a call waits for it.
  if (isError && text.includes('still starting') && tries > 0) return call(server, tool, args, tries - 1)
  ok(!isError, text)
  return JSON.parse(text)
}

for (const name of ['node', 'shim', 'cmd', 'simple', 'busy', 'opaque']) {
  await check(
    `serve: every argument reaches the server '${name}' unchanged, and no argument is run as a command`,
    async () => {
      const expected = servers[name].args.filter((arg) => arg !== SERVER)
      deepEqual(await call(name, 'argv'), expected)
      expectNothingRan()
    },
  )
}

await check('serve: npx starts a package of the project', async () => {
  deepEqual(await call('npx', 'argv'), ['from', 'npx'])
})

await check(
  'names of variables are case-insensitive: userprofile in a reference, and Temp instead of TEMP',
  async () => {
    deepEqual(await call('home', 'argv'), [home.folder, 'kept-here'])
    deepEqual(
      (await call('shim', 'env', { name: 'TEMP' })).map(([, value]) => value),
      ['C:\\mine'],
    )
  },
)

await check('a server inherits variables in any case, but not those in secrets.env or TOOLCRIB_TOKEN', async () => {
  const valuesOf = async (name) => (await call('simple', 'env', { name })).map(([, value]) => value)
  deepEqual(await valuesOf('AWS_PROFILE'), ['dev'])
  deepEqual(await valuesOf('FROM_SECRETS'), [])
  deepEqual(await valuesOf('TOOLCRIB_TOKEN'), [])
})

await check('status finds the running gateway by its named pipe', async () => {
  const { gateways } = await runJson(home, ['status'])
  equal(gateways.length, 1)
})

await check('serve ends with exit code 0 when its stdin ends', async () => {
  equal(await gateway.close(), 0)
})

await check('execute: a file of arguments may have a byte order mark', async () => {
  const file = home.write('args.json', `${BOM}{"name":"userprofile"}`)
  const { success, result, error } = await runJson(home, ['execute', 'simple', 'env', '--args', `@${file}`])
  ok(success, JSON.stringify(error))
  deepEqual(
    result.map(([, value]) => value),
    [home.folder],
  )
})

/** Two servers, one of them behind cmd.exe. Each ignores the end of its stdin and starts a process behind a cmd.exe. */
const stays = { args: ['--stay', '--family'], env: { PIDS: home.env.PIDS } }
const stubborn = { simple: { command: simple, ...stays }, busy: { command: busy, ...stays } }
const stubbornConfig = home.write('stubborn.json', { discovery: { servers: stubborn } })

for (const [claim, end] of [
  [
    'servers that ignore the end of their stdin do not delay the end of the gateway, and end with it',
    (client) => client.close(),
  ],
  ['servers and their child processes end when the gateway is killed', (client) => client.kill()],
]) {
  await check(claim, async () => {
    const before = new Set(home.started())
    const fresh = () => home.started().filter((one) => !before.has(one))
    const client = await connect(home, ['serve', '--config', stubbornConfig])
    const start = (server) =>
      client.request('tools/call', { name: 'execute_tool', arguments: { server, tool: 'argv', arguments: {} } })
    await Promise.all(Object.keys(stubborn).map(start))
    await until(
      () => fresh().length === 4,
      () => `${fresh().length} processes were started instead of 4`,
    )
    ok(fresh().every(isAlive))
    await end(client)
    await until(
      () => !fresh().some(isAlive),
      () => `${fresh().filter(isAlive).length} of 4 still run`,
    )
  })
}

await check('wrap serves a batch file, and its arguments reach it unchanged', async () => {
  const client = await connect(home, ['wrap', '--strategy', 'individual', '--', shim, ...NASTY])
  equal(client.hello.serverInfo.name, 'windows')
  const { content } = await client.request('tools/call', { name: 'argv', arguments: {} })
  deepEqual(JSON.parse(content[0].text), NASTY)
  equal(await client.close(), 0)
})

const other = createHome()
const cursor = other.write(
  join('.cursor', 'mcp.json'),
  `${BOM}${JSON.stringify({ mcpServers: { echo: { command: simple, args: ['a&b'], env: { API_TOKEN: 'tok-1234567890' } } } }, null, 2)}\r\n`,
)
const original = readFileSync(cursor)

await check('import reads a client file that has a byte order mark', async () => {
  const { code, stdout, stderr } = await run(other, ['import', '--dry-run'])
  equal(code, 0, stderr)
  match(stdout, /echo/)
})

await check('install replaces the server with the gateway, and copies the server and its secret', async () => {
  const { code, stderr } = await run(other, ['install', 'cursor', '--yes'])
  equal(code, 0, stderr)
  const text = readFileSync(cursor, 'utf8')
  deepEqual(Object.keys(JSON.parse(text.replace(BOM, '')).mcpServers), ['toolcrib'])
  ok(text.startsWith(BOM))
  const own = join(other.folder, 'AppData', 'Local', 'toolcrib', 'config')
  ok(readFileSync(join(own, 'config.json'), 'utf8').includes('simple.bat'))
  ok(readFileSync(join(own, 'secrets.env'), 'utf8').includes('API_TOKEN=tok-1234567890'))
})

await check('uninstall restores the exact bytes of the client file', async () => {
  const { code, stderr } = await run(other, ['uninstall', 'cursor', '--yes'])
  equal(code, 0, stderr)
  ok(readFileSync(cursor).equals(original))
})

console.log(`${passed} passed, ${failed} failed`)
try {
  for (const { folder } of [home, other])
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
} catch {
  // Windows locks the folder of a process that is still ending. The run under wine removes the whole prefix.
}
process.exit(failed === 0 ? 0 : 1)
