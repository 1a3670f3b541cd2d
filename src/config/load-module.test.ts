import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isModule, loadModule, problemOf } from './load-module.ts'
import { type TempFolder, tempFolder } from './temp-folder.fixture.ts'

function load(folder: TempFolder, name: string, text: string) {
  return loadModule(folder.write(name, text), text)
}

const text = 'export default { http: { port: 1 } }\n'

describe('loadModule', () => {
  it.each(['config.ts', 'config.mts', 'config.js', 'config.mjs'])(
    'loads a module from %s, and loads it again after an edit',
    async (name) => {
      const folder = tempFolder()
      folder.write('package.json', { type: 'module' })
      expect(await load(folder, name, text)).toEqual({ ok: true, value: { http: { port: 1 } } })
      expect(await load(folder, name, text.replace('1', '2'))).toEqual({ ok: true, value: { http: { port: 2 } } })
    },
  )

  it('loads a module that uses types, imports other files and exports a promise', async () => {
    const folder = tempFolder()
    folder.write('ports.ts', 'export const port: number = 7\n')
    const given =
      "import { port } from './ports.ts'\nexport default Promise.resolve({ http: { port } } satisfies object)\n"
    expect(await load(folder, 'config.ts', given)).toEqual({ ok: true, value: { http: { port: 7 } } })
    folder.write('ports.ts', 'export const port: number = 8\n')
    expect(await load(folder, 'config.ts', given)).toEqual({ ok: true, value: { http: { port: 8 } } })
  })

  it.each(['config.ts', 'config.mjs'])(
    'loads %s, which imports defineConfig, even if the package is not installed',
    async (name) => {
      const given = "import { defineConfig } from 'toolcrib'\nexport default defineConfig({ http: { port: 3 } })\n"
      expect(await load(tempFolder(), name, given)).toEqual({ ok: true, value: { http: { port: 3 } } })
    },
  )

  it('sends what a module prints to stderr, because stdout belongs to the protocol', async () => {
    const written = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
        written[name] += chunk
        return true
      })
    }
    onTestFinished(() => void vi.restoreAllMocks())
    const given = `process.stdout.write('hello')\n${text}`
    expect(await load(tempFolder(), 'config.mjs', given)).toMatchObject({ ok: true })
    process.stdout.write('after')
    expect(written).toEqual({ stdout: 'after', stderr: 'hello' })
  })

  it.each([
    ['config.ts', 'export default { token: "5ecret", \n', /fails with Error/],
    ['config.mjs', 'export default { token: "5ecret", \n', /fails with \w*Error/],
    ['config.ts', 'throw new Error("5ecret")\n', /fails with Error/],
    ['config.mjs', 'throw "5ecret"\n', /one that throws/],
    ['config.mjs', 'export default JSON.parse("5ecret")\n', /SyntaxError/],
    ['config.mjs', 'export default "5ecret"()\n', /fails with TypeError$/],
    ['config.mjs', 'export default missing.port\n', /ReferenceError: missing is not defined/],
    ['config.mjs', "import 'no-such-package'\nexport default {}\n", /no-such-package/],
    ['config.ts', "import 'no-such-package'\nexport default {}\n", /no-such-package/],
    ['config.ts', 'export const config = {}\n', /a default export/],
  ])('reports a module %s that does not load, without quoting its values: %j', async (name, given, message) => {
    const folder = tempFolder()
    const result = await load(folder, name, given)
    if (result.ok) throw new Error('it was loaded')
    expect(result.problem).toMatchObject({
      file: folder.at(name),
      severity: 'error',
      message: expect.stringMatching(message),
    })
    expect(JSON.stringify(result.problem)).not.toContain('5ecret')
  })
})

it.each([
  ['config.ts', "import { z } from 'absent/sub'\nexport default z\n", 'absent'],
  ['config.mjs', "import { z } from 'absent/sub'\nexport default z\n", 'absent'],
  ['config.mts', "import { z } from '@scope/absent/sub'\nexport default z\n", '@scope/absent'],
])('tells the user to install the missing package that %s imports', async (name, given, missing) => {
  const result = await load(tempFolder(), name, given)
  const message = `Cannot find the package '${missing}'. Run \`npm install ${missing}\` in the folder of this file`
  expect(result).toMatchObject({ ok: false, problem: { message } })
})

it.each(['config.ts', 'config.mjs'])('names the missing file that %s imports', async (name) => {
  const folder = tempFolder()
  const result = await load(folder, name, "import { port } from './absent.mjs'\nexport default { port }\n")
  // jiti reports the import as written, and Node the whole path.
  const message = expect.stringMatching(/^Cannot find the imported file '.*\/absent\.mjs'$/)
  expect(result).toMatchObject({ ok: false, problem: { message } })
})

it('names the command that prints the line of a syntax error in a JavaScript config', () => {
  const file = '/etc/config.mjs'
  const error = new SyntaxError('Unexpected token')
  error.stack = 'SyntaxError: Unexpected token\n    at compileSourceTextModule (node:internal/modules/esm/utils:346:16)'
  expect(problemOf(error, file).message).toBe(
    'Expected a module that loads, found one that fails with SyntaxError. `node --check /etc/config.mjs` prints the line of a syntax error',
  )
  error.stack = `SyntaxError: Unexpected token\n    at JSON.parse (<anonymous>)\n    at ${pathToFileURL(file)}?reload=1:1:21`
  expect(problemOf(error, file).message).toBe('Expected a module that loads, found one that fails with SyntaxError')
})

it('reports line and column of a syntax error in a TypeScript config', async () => {
  const result = await load(tempFolder(), 'config.ts', 'export default {\n  a: = 1,\n}\n')
  expect(result).toMatchObject({ ok: false, problem: { line: 2, column: 6 } })
})

it.each([
  ['a.ts', true],
  ['a.mjs', true],
  ['a.cts', true],
  ['a.json', false],
])('isModule(%s) is %s', (path, expected) => {
  expect(isModule(path)).toBe(expected)
})
