// The files of the published package, as npm would pack them.

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const paths = packedPaths()

describe('the package', () => {
  it('the package contains the library, the command line, the example servers and the README', () => {
    const wanted = [
      'dist/lib/index.js',
      'dist/index.d.ts',
      'dist/cli/main.js',
      'dist/examples/workshop/server.js',
      'dist/examples/servers/index.js',
      'dist/core/o200k.bin',
      'dist/inspector/index.html',
      'dist/inspector/favicon.svg',
      'schema/config.schema.json',
      'README.md',
      'LICENSE',
    ]
    expect(paths).toEqual(expect.arrayContaining(wanted))
    const assets = paths.filter((path) => path.startsWith('dist/inspector/assets/'))
    expect(assets.length).toBeGreaterThan(1)
    // Browsers keep these files for a year, so their names must change with their content.
    expect(assets.filter((path) => !/-[\w-]{8}\.(?:js|css|woff2|svg)$/.test(path))).toEqual([])
    // The page needs no file of its source folder, so the package does not contain that folder.
    expect(paths.filter((path) => path.startsWith('inspector/'))).toEqual([])
  })

  it('the package has only known folders, and no unknown file outside of folders', () => {
    const folders = new Set(paths.map((path) => (path.includes('/') ? path.split('/').slice(0, -1).join('/') : path)))
    const known =
      /^(?:dist|dist\/(?:cli|lib|examples|inspector)(?:\/.*)?|schema|README\.md|LICENSE|CHANGELOG\.md|package\.json)$/
    // The folders of the type declarations have the names of the folders of src.
    // The folder of the watchdog script for Windows has no type declarations.
    const types = paths.filter((path) => path.endsWith('.d.ts'))
    const ofTypes = new Set(types.map((path) => path.split('/').slice(0, -1).join('/')))
    const others = [...folders].filter((folder) => !known.test(folder) && !ofTypes.has(folder))
    expect(others.toSorted()).toEqual(['dist/sources/upstream/windows'])
    const inTypes = paths.filter((path) => ofTypes.has(path.split('/').slice(0, -1).join('/')))
    expect(inTypes.filter((path) => !path.endsWith('.d.ts'))).toEqual(['dist/core/o200k.bin'])
  })

  it('the code of the inspector is in inspector.cjs, and not in the files that a gateway loads at its start', () => {
    const chunk = (name: string) => readFileSync(join(root, 'dist/cli', name), 'utf8')
    const ofInspector = 'The inspector has no such data.'
    for (const name of ['base.cjs', 'gateway.cjs', 'serving.cjs']) expect(chunk(name), name).not.toContain(ofInspector)
    expect(chunk('inspector.cjs')).toContain(ofInspector)
  })

  it('the server of the SDK is in serving.cjs, which gateway.cjs does not load', () => {
    const chunk = (name: string) => readFileSync(join(root, 'dist/cli', name), 'utf8')
    // A text in the code of the SDK. Almost all commands load `gateway.cjs`, and most of them need no server.
    const ofSdk = 'Mcp-Session-Id header is required'
    expect(chunk('gateway.cjs')).not.toContain(ofSdk)
    expect(chunk('gateway.cjs')).not.toContain('./serving.cjs')
    expect(chunk('serving.cjs')).toContain(ofSdk)
  })

  it('an uncaught error of the library fills less than a screen, because its bundle has short lines', () => {
    const wrong = "createMcpServer({ name: 'a', version: '1', commands: [], toolStrategy: 'lasy' })"
    const program = `import { createMcpServer } from 'toolcrib'; ${wrong}`
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toContain("'lasy'")
    expect(stderr.length).toBeLessThan(4_000)
  })

  it('the package contains no source map, because it does not contain the sources that a map points to', () => {
    expect(paths.filter((path) => path.endsWith('.map'))).toEqual([])
    expect(paths.filter((path) => path.startsWith('src/'))).toEqual([])
  })

  it('the package contains no file that refers to a source map', () => {
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
