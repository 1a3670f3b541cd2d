// Packs the package, installs the tarball into an empty folder, and uses it there as a new user would. Fails if a size is
// over its limit, if publint or attw reports a problem, or if the command, the library, its types or
// the `.mcpb` bundle do not work.

import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkBundle } from './bundle.mjs'

const MAX_PACKED_KB = 1_500
/** Counted like `du -sm node_modules`. */
const MAX_INSTALLED_MIB = 35

/** The input of a client of protocol 2025-11-25: it lists the tools, then stdin is closed. */
const SESSION = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'check', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('')

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'toolcrib-package-'))
const app = join(folder, 'app')
const home = join(folder, 'home')
let failures = 0

try {
  for (const made of [app, home]) mkdirSync(made)
  run(root, npm('pack', '--ignore-scripts', '--pack-destination', folder))
  const tarball = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz')),
  )
  limit('packed', statSync(tarball).size / 1_000, MAX_PACKED_KB, 'kB')

  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }\n')
  run(app, npm('install', '--no-audit', '--no-fund', '--loglevel=error', tarball))
  limit('installed', diskUse(join(app, 'node_modules')) / 2 ** 20, MAX_INSTALLED_MIB, 'MiB')

  // With `--offline`, npm runs the installed command and not a package of the registry.
  const npx = (...words) => npm('exec', '--offline', '--', 'toolcrib', ...words)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect('npx toolcrib --version', run(app, npx('--version')), version)
  expect('npx toolcrib example --stdio', run(app, npx('example', '--stdio'), SESSION), '"afd-discover"')
  expect('npx toolcrib', run(app, npx(), SESSION), '"execute_tool"')

  copyFileSync(join(here, 'program.mjs'), join(app, 'program.mjs'))
  expect("import 'toolcrib'", run(app, [process.execPath, 'program.mjs']), 'works')

  copyFileSync(join(here, 'types.ts'), join(app, 'types.ts'))
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const options = {
      module,
      moduleResolution,
      target: 'es2023',
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      types: [],
    }
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['types.ts'] }))
    const compiled = run(app, [process.execPath, script('typescript', 'tsc'), '-p', '.', '--pretty', 'false'])
    expect(`types, ${moduleResolution}`, compiled, /^\[exit 0\]$/)
  }

  expect('publint', run(root, [process.execPath, script('publint', 'publint'), '--strict', tarball]), 'All good!')
  const attw = script('@arethetypeswrong/cli', 'attw')
  expect('attw', run(root, [process.execPath, attw, tarball, '--profile', 'esm-only']), /\[exit 0\]$/)

  const bundled = join(folder, 'bundled')
  mkdirSync(bundled)
  run(bundled, npm('install', '--no-audit', '--no-fund', '--loglevel=error', '--no-save', tarball))
  checkBundle({ root, folder, installed: bundled, npm, run, expect, session: SESSION })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failures === 0 ? 0 : 1

function limit(what, size, max, unit) {
  report(size <= max, `${what}: ${Math.ceil(size).toLocaleString('en')} ${unit} of ${max.toLocaleString('en')} ${unit}`)
}

function expect(what, printed, wanted) {
  const isAsWanted = typeof wanted === 'string' ? printed.includes(wanted) : wanted.test(printed)
  report(isAsWanted, isAsWanted ? what : `${what}, which printed:\n${printed.slice(-3_000)}`)
}

function report(isGood, text) {
  if (!isGood) failures++
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${text}`)
}

/** Returns all that the command prints, and its exit code. */
function run(cwd, [command, ...args], input = '') {
  const env = {
    ...process.env,
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: '',
    XDG_STATE_HOME: '',
    XDG_CACHE_HOME: '',
  }
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env: withoutNpm(env),
    input,
    encoding: 'utf8',
  })
  if (error !== undefined) throw error
  return `${stdout}${stderr}[exit ${status}]`
}

/** npm passes its settings to scripts as variables. They would also configure the npm in the empty folder. */
function withoutNpm(env) {
  const isNpms = (name) => /^npm_(?:package|lifecycle|command|config_(?:prefix|local_prefix|global_prefix))/i.test(name)
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !isNpms(name) && value !== ''))
}

function npm(...args) {
  // On Windows `npm` is a batch file, which Node can only start through a shell. Its script can be started directly.
  const { npm_execpath: path } = process.env
  return path === undefined ? ['npm', ...args] : [process.execPath, path, ...args]
}

function script(name, command) {
  const installed = join(root, 'node_modules', name)
  return join(installed, JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).bin[command])
}

function diskUse(path) {
  const found = statSync(path)
  if (!found.isDirectory()) return Math.ceil(found.size / 4_096) * 4_096
  return readdirSync(path).reduce((sum, name) => sum + diskUse(join(path, name)), 4_096)
}
