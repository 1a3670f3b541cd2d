// The command line as few files: loading and linking its modules one by one took longer than all they do.

import { dirname, join, relative, resolve } from 'node:path'
import { writeTokenRanks } from './scripts/token-ranks.mjs'

const root = import.meta.dirname

/** The quick answers load these parts of the program only when they need them. */
const PARTS = {
  'tool-costs': 'src/cli/tool-costs.ts',
  'gateway-states': 'src/cli/control/gateway-states.ts',
  unreachable: 'src/cli/unreachable.ts',
  pattern: 'src/rules/pattern.ts',
}
const QUICK = 'src/cli/quick/quick.ts'

/** Modules that another output has: they are required by the name of its file. */
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

/** A module finds the files beside it where `tsc` would have put it: in `dist`, in the folder it has in `src`. */
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
const isCommonJs = {
  name: 'is-common-js',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' })
  },
}

const tokenRanks = {
  name: 'token-ranks',
  writeBundle: () => writeTokenRanks(join(root, 'dist/core/o200k.bin')),
}

const shared = {
  dir: 'dist/cli',
  format: 'cjs',
  chunkFileNames: '[name].cjs',
  sourcemap: true,
  sourcemapExcludeSources: true,
  minify: { compress: true, mangle: { keepNames: { function: false, class: true } }, codegen: true },
}

const common = {
  platform: 'node',
  // The oldest Node that we run on has no `using`.
  transform: { target: 'node20.19' },
  // The `main` of jsonc-parser requires its parts by names that a bundle does not have.
  resolve: { mainFields: ['module', 'main'] },
  treeshake: { moduleSideEffects: false },
}

export default [
  {
    ...common,
    input: { main: 'src/cli/main.ts', ...PARTS },
    // jiti loads a file beside its own.
    external: ['jiti'],
    plugins: [outside({ quick: QUICK }), addresses, isCommonJs, tokenRanks],
    output: {
      ...shared,
      cleanDir: true,
      entryFileNames: ({ name }) => (name === 'main' ? 'main.js' : '[name].cjs'),
    },
  },
  {
    ...common,
    input: { quick: QUICK },
    plugins: [outside(PARTS), addresses],
    output: { ...shared, entryFileNames: '[name].cjs', codeSplitting: false },
  },
]
