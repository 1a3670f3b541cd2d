// Runs `npm start`, `npm test` and other tasks: it installs and builds if necessary, then runs the task. It needs only
// Node and npm.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [task, ...args] = process.argv.slice(2)
/** The id of the parent at the start. The parent can end during the build. */
const parent = process.ppid
/** Packages with a name that differs from their command. */
const PACKAGES = { biome: '@biomejs/biome', tsc: 'typescript' }

const tasks = {
  start() {
    process.argv.splice(2, 1, 'serve', '--http', '--demo')
    endWithNpm()
    process.on('exit', (code) => {
      // After Ctrl-C, the code is 0 or 130. With arguments, the user has written `--`.
      if (args.length === 0 && code > 0 && code < 130)
        console.error('npm passes on options only after `--`, for example `npm start -- --port 0`.')
    })
    // Imported, not spawned: a child process would survive when this process is killed.
    return import('../dist/cli/main.js')
  },
  async test() {
    await allOf(['biome', 'check', '.'], ['tsc', '-p', 'tsconfig.json'], ['tsc', '-p', 'inspector/tsconfig.json'])
    // The other vitest projects (matrix, setup, team, faults, inspector) have their own commands, because they take longer.
    vitest(['src', 'e2e', 'isolated', 'memory'])
  },
  setup: () => vitest(['setup']),
  team: () => vitest(['team', 'team-alone']),
  faults,
  inspector: () => vitest(['inspector']),
  screenshots: () => run(process.execPath, 'build/scripts/screenshots/main.js', ...args),
  windows: () => run(process.execPath, 'test/windows/run.mjs'),
  wild: () => run(process.execPath, 'build/test/wild/main.js', ...args),
  matrix: () => vitest(['matrix']),
  bench: () => run(process.execPath, '--expose-gc', `build/bench/${args[0]}.js`, ...args.slice(1)),
  soak() {
    if (args[0]?.startsWith('--')) run(process.execPath, 'build/bench/soak.js', ...args)
    else run(process.execPath, '--expose-gc', 'build/test/fixtures/soak-entry.js', args[0] ?? '20000')
  },
  fuzz: () => run(process.execPath, 'build/test/fuzz/main.js', ...args),
  chaos: () => run(process.execPath, 'build/test/chaos/main.js', ...args),
  picture() {
    run(process.execPath, '--expose-gc', 'build/bench/tokens.js')
    run(process.execPath, 'build/bench/picture.js')
  },
  docs: () => run(process.execPath, 'build/scripts/config/write.js'),
  conformance: () => run(process.execPath, 'scripts/conformance.mjs', ...args),
  examples: () => run(process.execPath, 'scripts/examples.mjs', ...args),
  package: () => run(process.execPath, 'scripts/package/check.mjs'),
  /** Only installs and builds. */
  prepare() {},
}

const chosen = tasks[task]
if (chosen === undefined) {
  console.error(`Usage: node scripts/run.mjs ${Object.keys(tasks).join(' | ')}`)
  process.exit(1)
}
install()
build(task === 'start')
await chosen()

/** Ends the gateway when npm ends. A signal to npm ends only npm and its shell, and the gateway would keep its port. */
function endWithNpm() {
  // On Windows, the id of the parent does not change when the parent ends.
  if (process.platform === 'win32' || process.env.npm_lifecycle_event !== 'start') return
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 250).unref()
}

/** `--long` runs more repetitions than fit into CI. `--repeat N` runs the suite N times in a row. */
function faults() {
  const words = args.filter((word, at) => word !== '--long' && word !== '--repeat' && args[at - 1] !== '--repeat')
  if (args.includes('--long')) process.env.FAULTS_LONG = '1'
  const rounds = args.includes('--repeat') ? Number(args[args.indexOf('--repeat') + 1]) : 1
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error('--repeat needs a whole number of at least 1.')
    process.exit(1)
  }
  for (let round = 1; round <= rounds; round++) {
    vitest(['faults', 'faults-alone'], words)
    if (rounds > 1) console.log(`Run ${round} of ${rounds} has passed.`)
  }
}

function install() {
  const marker = 'node_modules/.installed'
  if (modifiedAt(marker) >= Math.max(modifiedAt('package-lock.json'), modifiedAt('package.json'))) return
  // `npm ci` installs exactly the lock file. It first removes node_modules and with it the marker.
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const { npm_execpath: npm } = process.env
  // On Windows `npm` is a batch file, which Node can only start through a shell. Its script can be started directly.
  if (npm === undefined) run('npm', ...args)
  else run(process.execPath, npm, ...args)
  writeFileSync(join(root, marker), '')
}

/** For `start`, builds only what the program needs, so that a test that does not compile does not prevent the start. */
function build(isForStart) {
  const folders = ['src', 'inspector', 'examples', ...(isForStart ? [] : ['bench', 'test', 'scripts'])]
  const marker = isForStart ? 'build/.started' : 'build/.built'
  const newest = Math.max(...folders.map(newestIn))
  if (existsSync(join(root, 'dist/lib/index.js')) && modifiedAt(marker) >= newest) return
  // On stderr, because stdout may be read by a program, for example with `npm start -- --json`.
  if (isForStart) console.error('Building Toolcrib ...')
  runInstalled('tsc', '-p', 'tsconfig.build.json')
  // rolldown prints the size of every file to stdout, even with `--logLevel silent`. Its errors go to stderr.
  runWith(['inherit', 'ignore', 'inherit'], process.execPath, scriptOf('rolldown'), '-c', '--logLevel', 'silent')
  runInstalled('vite', 'build', '--config', 'inspector/vite.config.ts', '--logLevel', 'warn')
  if (!isForStart) runInstalled('tsc', '-p', 'tsconfig.tools.json')
  mkdirSync(join(root, 'build'), { recursive: true })
  writeFileSync(join(root, marker), '')
}

function vitest(projects, words = args) {
  runInstalled('vitest', 'run', ...projects.flatMap((project) => ['--project', project]), ...words)
}

function runInstalled(name, ...command) {
  run(process.execPath, scriptOf(name), ...command)
}

/** Runs independent commands in parallel. */
async function allOf(...commands) {
  const codes = commands.map(([name, ...words]) => {
    const child = spawn(process.execPath, [scriptOf(name), ...words], { cwd: root, stdio: 'inherit' })
    return new Promise((resolve) => child.once('close', (status) => resolve(status ?? 1)))
  })
  const failed = (await Promise.all(codes)).find((code) => code !== 0)
  if (failed !== undefined) process.exit(failed)
}

/** The path of the installed script. npx would take half a second longer and could download another version. */
function scriptOf(name) {
  const folder = join(root, 'node_modules', PACKAGES[name] ?? name)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, bin[name])
}

function run(command, ...rest) {
  runWith('inherit', command, ...rest)
}

function runWith(stdio, command, ...rest) {
  const { status, signal, error } = spawnSync(command, rest, { cwd: root, stdio })
  if (error !== undefined) console.error(`Could not run ${command}: ${error.message}`)
  if (signal === 'SIGINT') process.exit(130)
  if (status !== 0) process.exit(status ?? 1)
}

function modifiedAt(path) {
  return existsSync(join(root, path)) ? statSync(join(root, path)).mtimeMs : 0
}

function newestIn(folder) {
  if (!existsSync(join(root, folder))) return 0
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return Math.max(
    0,
    ...files.filter((file) => file.isFile()).map((file) => statSync(join(file.parentPath, file.name)).mtimeMs),
  )
}
