// The files of the published package, as npm would pack them.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const paths = packedPaths()

describe('the package', () => {
  it('contains the library, the command line, the examples and the documents', () => {
    const wanted = [
      'dist/lib/index.js',
      'dist/index.d.ts',
      'dist/cli/main.js',
      'docs/commands.md',
      'README.md',
      'LICENSE',
    ]
    expect(paths).toEqual(expect.arrayContaining(wanted))
    expect(paths.some((path) => path.startsWith('build/examples/workshop/'))).toBe(true)
  })

  it('loads the server of the SDK only for commands that serve', () => {
    const chunk = (name: string) => readFileSync(join(root, 'dist/cli', name), 'utf8')
    // A text in the code of the SDK. Almost all commands load `gateway.cjs`; only `serve` and `wrap` load `serving.cjs`.
    const ofSdk = 'Mcp-Session-Id header is required'
    expect(chunk('gateway.cjs')).not.toContain(ofSdk)
    expect(chunk('gateway.cjs')).not.toContain('./serving.cjs')
    expect(chunk('serving.cjs')).toContain(ofSdk)
  })

  it('contains no source map, because it does not contain the sources that a map points to', () => {
    expect(paths.filter((path) => path.endsWith('.map'))).toEqual([])
    expect(paths.filter((path) => path.startsWith('src/'))).toEqual([])
  })

  it('contains no file that refers to a source map', () => {
    const code = paths.filter((path) => /\.(?:[cm]?js|d\.[cm]?ts)$/.test(path))
    expect(code.length).toBeGreaterThan(100)
    const refers = (path: string) => /^\/\/# sourceMappingURL=/m.test(readFileSync(join(root, path), 'utf8'))
    expect(code.filter(refers)).toEqual([])
  })
})

function packedPaths(): readonly string[] {
  // On Windows `npm` is a batch file, which Node can only start through a shell. Its script can be started directly.
  const { npm_execpath: script } = process.env
  const [command, ...first] = script === undefined ? ['npm'] : [process.execPath, script]
  const args = [...first, 'pack', '--dry-run', '--json', '--ignore-scripts']
  const printed = execFileSync(command ?? 'npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  const [{ files }] = JSON.parse(printed) as [{ files: readonly { path: string }[] }] // the form is npm's
  return files.map(({ path }) => path)
}
