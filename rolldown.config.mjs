// Bundles the command line and the library into few files, because loading their modules one by one takes longer than
// running them.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { breakLines } from './scripts/bundle/break-lines.mjs'
import { pruneTypes } from './scripts/bundle/prune-types.mjs'
import { writeTokenRanks } from './scripts/token-ranks.mjs'

const root = import.meta.dirname

/** The quick answers load these parts of the program only when they need them. */
const PARTS = {
  'tool-costs': 'src/cli/strategy/tool-costs.ts',
  'ask-gateways': 'src/cli/gateway/ask-gateways.ts',
  pattern: 'src/rules/pattern.ts',
}
const QUICK = 'src/cli/quick.ts'
/** The library. It shares its code with the command line: the package would be a third larger with a copy of its own. */
const LIBRARY = { index: 'src/index.ts', testing: 'src/testing.ts' }
/** The relay process of a client with a shared gateway. */
const JOIN = 'src/cli/gateway/join-gateway.ts'

/** A plugin that leaves out modules of another output. They are required by the name of the file of that output. */
function outside(files) {
  return {
    name: 'outside',
    resolveId(source, importer) {
      if (importer === undefined || !source.startsWith('.')) return null
      const path = relative(root, resolve(dirname(importer), source)).replaceAll('\\', '/')
      const [name] = Object.entries(files).find(([, file]) => file === path) ?? []
      return name === undefined ? null : { id: `./${name}.cjs`, external: true }
    },
  }
}

/**
 * Keeps `import.meta.url` of a module as `tsc` would set it: below `dist`, in the same folder as in `src`. In
 * modules of `cli/` it is the address of the bundle file.
 */
const addresses = {
  name: 'addresses',
  transform(code, id) {
    const path = relative(join(root, 'src'), id).replaceAll('\\', '/')
    if (!code.includes('import.meta.url') || path.startsWith('..') || path.startsWith('cli/')) return null
    const own = `new URL('../${path.replace(/\.ts$/, '.js')}', import.meta.url).href`
    return { code: code.replaceAll('import.meta.url', own), map: null }
  },
}

/** `main.js` is CommonJS in a package of ES modules. */
const commonJsPackage = {
  name: 'common-js-package',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' })
  },
}

const SDK_SHIMS = 'scripts/bundle/sdk-shims.cjs'
/** Replaces the shims of the SDK; the file states the reason. */
const sdkShims = {
  name: 'sdk-shims',
  resolveId: (source) =>
    /^@modelcontextprotocol\/(?:client|server)\/_shims$/.test(source) ? join(root, SDK_SHIMS) : null,
}

/**
 * The contract suites need vitest and fast-check, and vitest cannot be required. The ES module in front of the suites
 * imports both packages, and puts each into one of these files before it loads the suites.
 */
const PEERS = { vitest: 'vitest', 'fast-check': 'fast-check' }
const peers = {
  name: 'peers',
  resolveId: (source) => (source in PEERS ? { id: `./${source}-peer.cjs`, external: true } : null),
  generateBundle() {
    for (const name of Object.keys(PEERS)) {
      this.emitFile({ type: 'asset', fileName: `${name}-peer.cjs`, source: 'module.exports = {}\n' })
    }
  },
}

/** Writes an ES module in front of each entry of the library. */
const library = {
  name: 'library',
  writeBundle(_options, bundle) {
    const folder = join(root, 'dist/lib')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const entry of Object.keys(LIBRARY)) {
      const { exports } = bundle[`${entry}.cjs`]
      const lines =
        entry === 'testing'
          ? [
              "import { createRequire } from 'node:module'",
              ...Object.keys(PEERS).map((name, at) => `import * as peer${at} from '${name}'`),
              'const require = createRequire(import.meta.url)',
              ...Object.keys(PEERS).map((name, at) => `Object.assign(require('../cli/${name}-peer.cjs'), peer${at})`),
              "const entry = require('../cli/testing.cjs')",
            ]
          : [`import entry from '../cli/${entry}.cjs'`]
      writeFileSync(
        join(folder, `${entry}.js`),
        `${lines.join('\n')}\nexport const { ${exports.join(', ')} } = entry\n`,
      )
    }
    pruneTypes(join(root, 'dist'), ['index.d.ts', 'testing.d.ts'])
  },
}

const tokenRanks = {
  name: 'token-ranks',
  writeBundle: () => writeTokenRanks(join(root, 'dist/core/o200k.bin')),
}

/**
 * The files with the options of the commands. Help needs all of them. The code of a command is imported when the
 * command runs.
 */
const COMMANDS = readdirSync(join(root, 'src/cli/commands'), { recursive: true })
  .map((name) => `src/cli/commands/${name.replaceAll('\\', '/')}`)
  .filter(
    (file) =>
      file.endsWith('.ts') && /export (?:async )?function \w+Command\(/.test(readFileSync(join(root, file), 'utf8')),
  )

/**
 * The layers: all commands load the first, and only commands that serve load the last. Each layer becomes one file with
 * the modules that it imports statically and that no earlier layer has.
 */
const LAYERS = {
  base: ['src/cli/run-program.ts', 'src/cli/output/work.ts', ...COMMANDS],
  config: ['src/setup/load-config.ts'],
  // Has the modules that commands share with `serve`: in `serving`, they would make each command load the SDK's server.
  gateway: [
    'src/crib/from-config.ts',
    'src/cli/gateway/session.ts',
    'src/cli/cache/with-catalog.ts',
    'src/cli/strategy/choose-strategy.ts',
  ],
  serving: ['src/cli/serving/serve-gateway.ts'],
}
/**
 * Commands that start no server: they write config files or read logs. The modules that they share with the gateway get
 * a file of their own, `shared`.
 */
const WITHOUT_SERVERS = ['import', 'install', 'uninstall', 'logs', 'stats'].flatMap((command) =>
  readdirSync(join(root, 'src/cli/commands', command)).map((name) => `src/cli/commands/${command}/${name}`),
)
const layerOf = new Map()

const layers = {
  name: 'layers',
  buildEnd() {
    const add = (id, layer) => {
      const module = this.getModuleInfo(id)
      if (module === null || layerOf.has(id)) return
      layerOf.set(id, layer)
      for (const imported of module.importedIds) add(imported, layer)
    }
    // The quick answers load these, and must not load a layer with them.
    for (const file of Object.values(PARTS)) add(join(root, file), null)
    add(join(root, SDK_SHIMS), 'schemas')
    const reached = (files) => {
      const ids = new Set()
      const visit = (id) => {
        if (ids.has(id)) return
        ids.add(id)
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) visit(imported)
      }
      for (const file of files) visit(join(root, file))
      return ids
    }
    const addAll = (layer) => {
      for (const file of LAYERS[layer]) add(join(root, file), layer)
    }
    addAll('base')
    addAll('config')
    const byOthers = reached(WITHOUT_SERVERS)
    for (const id of reached([...LAYERS.gateway, ...LAYERS.serving])) {
      if (byOthers.has(id) && !layerOf.has(id)) layerOf.set(id, 'shared')
    }
    addAll('gateway')
    addAll('serving')
  },
}

const shared = {
  dir: 'dist/cli',
  format: 'cjs',
  chunkFileNames: '[name].cjs',
  minify: { compress: true, mangle: { keepNames: { function: false, class: true } }, codegen: true },
  // Annotations are for a bundler that reads the output.
  comments: { annotation: false },
}

const common = {
  platform: 'node',
  // The oldest Node that we run on has no `using`.
  transform: { target: 'node20.19' },
  treeshake: { moduleSideEffects: false },
}

export default [
  {
    ...common,
    input: { main: 'src/cli/main.ts', ...PARTS, ...LIBRARY },
    // jiti loads a file beside its own. The next six are loaded only when they are needed; the package is smaller without
    // them. The others are optional.
    external: [
      'jiti',
      're2js',
      'picomatch',
      'yaml',
      'smol-toml',
      'jsonc-parser',
      'jose',
      'ioredis',
      'prom-client',
      '@opentelemetry/api',
    ],
    plugins: [
      outside({ quick: QUICK, join: JOIN }),
      addresses,
      sdkShims,
      peers,
      layers,
      commonJsPackage,
      library,
      tokenRanks,
      breakLines,
    ],
    output: {
      ...shared,
      cleanDir: true,
      codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: (id) => layerOf.get(id) ?? null }] },
      entryFileNames: ({ name }) => (name === 'main' ? 'main.js' : '[name].cjs'),
    },
  },
  {
    ...common,
    input: { quick: QUICK },
    plugins: [outside(PARTS), addresses, breakLines],
    output: { ...shared, entryFileNames: '[name].cjs', codeSplitting: false },
  },
  {
    ...common,
    input: { join: JOIN },
    plugins: [addresses, breakLines],
    output: { ...shared, entryFileNames: '[name].cjs', codeSplitting: false },
  },
  {
    ...common,
    // For `toolcrib example` and `toolcrib serve --demo`. They import the package by its name.
    input: Object.fromEntries(
      ['workshop/server', 'servers/index', ...['notes', 'shop', 'tracker'].map((name) => `servers/${name}/server`)].map(
        (name) => [name, `examples/${name}.ts`],
      ),
    ),
    external: /^[^./]/,
    plugins: [breakLines],
    output: {
      dir: 'dist/examples',
      cleanDir: true,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      minify: shared.minify,
      comments: shared.comments,
    },
  },
  {
    ...common,
    // A process of its own, see src/sources/upstream/watchdog.ts.
    input: { 'watchdog-entry': 'src/sources/upstream/windows/watchdog-entry.ts' },
    output: { dir: 'dist/sources/upstream/windows', format: 'esm', codeSplitting: false, minify: shared.minify },
  },
]
