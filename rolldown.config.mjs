// The quick answer of the command line as one file: loading its parts one by one takes longer than all they do.

import { dirname, relative, resolve } from 'node:path'

/** What few answers need stays outside, each in its own file, and is loaded by those few. */
const SELDOM = new Set(['rules/pattern.js', 'cli/tool-costs.js', 'cli/control/gateway-states.js'])

const keepOutside = {
  name: 'keep-outside',
  resolveId(source, importer = '') {
    const path = relative('dist', resolve(dirname(importer), source)).replaceAll('\\', '/')
    return SELDOM.has(path) ? { id: `../${path}`, external: true } : null
  },
}

export default {
  input: 'dist/cli/quick/quick.js',
  platform: 'node',
  plugins: [keepOutside],
  treeshake: { moduleSideEffects: false },
  output: { file: 'dist/cli/quick.cjs', format: 'cjs', sourcemap: true, minify: true, codeSplitting: false },
}
