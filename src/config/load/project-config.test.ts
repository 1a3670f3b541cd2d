// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { chmodSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { realFiles } from '../config-files.ts'
import { type TempFolder, tempFolder } from '../temp-folder.fixture.ts'
import { load, namesOf } from './load.fixture.ts'
import { examineProject } from './project-config.ts'

/** The approval of the file in its current version. */
async function approvalOf(folder: TempFolder, file: string, cwd = folder.at('work')) {
  const context = { cwd, home: folder.at('home'), platform: 'linux' as const, files: realFiles, approved: [] }
  const { realPath, sha256, folder: where } = await examineProject(file, context)
  return { path: realPath, folder: where, sha256, at: '2026-01-31T10:00:00.000Z' }
}

// Configs that run in this process add an entry to this list. The next line assigns a value of the type in the cast.
const ran = (globalThis as { ranInTest?: string[] }).ranInTest ?? []
Object.assign(globalThis, { ranInTest: ran })
const leavesMark = (mark: string) => `globalThis.ranInTest.push(${JSON.stringify(mark)})\n`

describe('loadConfig with a project config', () => {
  const data = {
    $schema: './config.schema.json',
    discovery: { servers: { theirs: { command: 'x' } }, toolRules: [{ pattern: 'a', enabled: false }] },
  }

  it('adds servers and rules of a project config only after its approval, and reports why it is not used', async () => {
    const folder = tempFolder()
    folder.write('home/.toolcrib/config.json', { $schema: 'x', discovery: { servers: { mine: { command: 'm' } } } })
    const file = folder.write('work/toolcrib.config.json', data)
    const before = await load(folder)
    expect(before).toMatchObject({ isValid: true, projectRules: [], project: { file, state: 'unapproved' } })
    expect(namesOf(before)).toEqual(['mine'])
    expect(before.problems).toMatchObject([{ file, severity: 'warning', found: 'no approval' }])
    const approved = [await approvalOf(folder, file)]
    const after = await load(folder, { approved })
    expect(namesOf(after)).toEqual(['mine', 'theirs'])
    expect(after).toMatchObject({
      problems: [],
      rules: [],
      projectRules: [{ pattern: ['a'] }],
      project: { state: 'used' },
    })
    folder.write('work/toolcrib.config.json', { ...data, $schema: 'x' })
    const changed = await load(folder, { approved })
    expect(changed).toMatchObject({ project: { state: 'changed', at: approved[0]?.at }, projectRules: [] })
    expect(changed.problems[0]?.message).toContain('changed since you approved it on 2026-01-31')
  })

  it('adds the tool lists of project servers to the project rules, under the new name of a renamed server', async () => {
    const folder = tempFolder()
    const user = { same: { command: 'm' } }
    folder.write('home/.toolcrib/config.json', { discovery: { servers: user } })
    const servers = { same: { command: 'x', disabledTools: ['a'] }, theirs: { command: 'x', disabledTools: ['b'] } }
    const approved = [await approvalOf(folder, folder.write('work/toolcrib.config.json', { discovery: { servers } }))]
    const loaded = await load(folder, { approved })
    expect(namesOf(loaded)).toEqual(['same', 'same-project', 'theirs'])
    expect(loaded).toMatchObject({
      rules: [],
      projectRules: [
        { server: 'same-project', pattern: ['a'] },
        { server: 'theirs', pattern: ['b'] },
      ],
    })
  })

  it('adds project servers to those of clients if the user has no config', async () => {
    const folder = tempFolder()
    folder.write('home/.cursor/mcp.json', { mcpServers: { client: { command: 'c' } } })
    const approved = [await approvalOf(folder, folder.write('work/.toolcrib/config.json', data))]
    expect(namesOf(await load(folder, { approved }))).toEqual(['client', 'theirs'])
  })

  it('limits an approval to one folder: a link to the project config in another folder is not approved', async () => {
    const folder = tempFolder()
    const file = folder.write('work/toolcrib.config.json', data)
    const approved = [await approvalOf(folder, file)]
    folder.write('stranger/server.js', '')
    symlinkSync(file, folder.at('stranger/toolcrib.config.json'))
    const loaded = await load(folder, { approved, cwd: folder.at('stranger') })
    expect(loaded).toMatchObject({ servers: [], project: { state: 'unapproved' } })
    // Older versions stored no folder. Their approvals hold only if the file is inside the current folder.
    const older = approved.map(({ folder: _folder, ...rest }) => rest)
    expect(namesOf(await load(folder, { approved: older }))).toEqual(['theirs'])
    expect((await load(folder, { approved: older, cwd: folder.at('stranger') })).servers).toEqual([])
  })

  it('does not use a project config with an error, and keeps the config of the user valid', async () => {
    const folder = tempFolder()
    folder.write('home/.toolcrib/config.json', { discovery: { servers: { mine: { command: 'm' } } } })
    const wrong = { ...data, http: { port: 1 }, discovery: { ...data.discovery, cache: { ttl: 0 } } }
    const file = folder.write('work/toolcrib.config.json', wrong)
    const loaded = await load(folder, { approved: [await approvalOf(folder, file)] })
    expect(loaded).toMatchObject({ isValid: true, project: { state: 'invalid' }, projectRules: [] })
    expect(namesOf(loaded)).toEqual(['mine'])
    expect(loaded.config.http.port).not.toBe(1)
    expect(loaded.problems.map(({ path, severity }) => [path, severity])).toEqual([
      ['http', 'error'],
      ['discovery.cache', 'warning'],
      ['', 'warning'],
    ])
  })

  it.each([{ log: { audit: true } }, { traces: true }, { shared: true }])(
    'does not use a project config that sets %j, which only the user can set',
    async (setting) => {
      const folder = tempFolder()
      const file = folder.write('work/toolcrib.config.json', { ...data, ...setting })
      const loaded = await load(folder, { approved: [await approvalOf(folder, file)] })
      expect(loaded).toMatchObject({ isValid: true, servers: [], project: { state: 'invalid' } })
      expect(loaded.problems[0]).toMatchObject({ path: Object.keys(setting)[0], severity: 'error' })
    },
  )

  it('does not read a project config that is larger than the limit', async () => {
    const folder = tempFolder()
    const file = folder.write('work/toolcrib.config.json', ' '.repeat(5 * 1024 * 1024))
    const loaded = await load(folder)
    expect(loaded).toMatchObject({ isValid: true, project: { file, state: 'unreadable' } })
  })
})

describe('loadConfig with a project config that is code', () => {
  it('runs a project config only after its approval, together with the files that it imports', async () => {
    const folder = tempFolder()
    const part = folder.write('work/lib/part.ts', `${leavesMark('part')}export const name: string = 'coded'\n`)
    folder.write('work/lib/types.ts', leavesMark('types'))
    const file = folder.write(
      'work/toolcrib.config.ts',
      `import { name } from './lib/part'
import type { Nothing } from './lib/types'
import fs from 'node:fs'
export type * from './lib/types'
export type Named = typeof name
import { z } from 'zod'
${leavesMark('main')}export default { discovery: { servers: { [name]: { command: 'x', env: { A: '\${SHOWN}' } } } } }
`,
    )
    await load(folder)
    const context = {
      cwd: folder.at('work'),
      home: folder.at('home'),
      platform: 'linux' as const,
      files: realFiles,
      approved: [],
    }
    const examined = await examineProject(file, context)
    expect([...examined.parts.keys()]).toEqual([part])
    expect(examined).toMatchObject({ variables: ['SHOWN'], code: { packages: ['zod'], hasComputedImports: false } })
    expect(ran).toEqual([])
    folder.write('work/toolcrib.config.ts', examined.text.replace("import { z } from 'zod'\n", ''))
    const approved = [await approvalOf(folder, file)]
    const loaded = await load(folder, { approved })
    expect(loaded.problems).toEqual([])
    expect(namesOf(loaded)).toEqual(['coded'])
    expect(ran.splice(0)).toEqual(['part', 'main'])
    expect(loaded.watched).toContain(part)
    folder.write('work/lib/part.ts', `export const name: string = 'other'\n`)
    expect(await load(folder, { approved })).toMatchObject({ servers: [], project: { state: 'changed' } })
    expect(ran).toEqual([])
  })

  it.each(['ts', 'mjs', 'js'])(
    'a part with the extension %s can import the default of a CommonJS module',
    async (ext) => {
      const folder = tempFolder()
      folder.write(`work/part.${ext}`, "import path from 'node:path'\nexport const name = path.join('a', 'b')\n")
      const file = folder.write(
        'work/toolcrib.config.ts',
        `import { name } from './part.${ext}'
export default { discovery: { servers: { one: { command: name } } } }
`,
      )
      const loaded = await load(folder, { approved: [await approvalOf(folder, file)] })
      expect(loaded.problems).toEqual([])
      expect(namesOf(loaded)).toEqual(['one'])
    },
  )

  it('reports that a project config with createRequire loads modules with computed names', async () => {
    const folder = tempFolder()
    const file = folder.write(
      'work/toolcrib.config.mjs',
      "import { createRequire } from 'node:module'\nexport default createRequire(import.meta.url)('./other.cjs')\n",
    )
    const context = { cwd: folder.at('work'), home: folder.at('home'), platform: 'linux' as const, approved: [] }
    const { code } = await examineProject(file, { ...context, files: realFiles })
    expect(code).toMatchObject({ hasComputedImports: true })
  })

  it('sends what an approved config and its parts print to stderr, because stdout belongs to the protocol', async () => {
    const folder = tempFolder()
    folder.write('work/part.ts', "console.log('part')\nexport const name = 'coded'\n")
    const file = folder.write(
      'work/toolcrib.config.ts',
      `import { name } from './part.ts'
process.stdout.write('main')
export default Promise.resolve({ discovery: { servers: { [name]: { command: 'x' } } } })
`,
    )
    const approved = [await approvalOf(folder, file)]
    const written = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
        written[name] += chunk
        return true
      })
    }
    onTestFinished(() => void vi.restoreAllMocks())
    expect(namesOf(await load(folder, { approved }))).toEqual(['coded'])
    process.stdout.write('after')
    expect(written.stdout).toBe('after')
    expect(written.stderr).toContain('main')
  })

  it('does not use an approved config while an imported file is missing or writable by others', async () => {
    const folder = tempFolder()
    const part = folder.write('work/part.mjs', 'export const name = "x"\n')
    const file = folder.write('work/toolcrib.config.mjs', `import { name } from './part.mjs'\nexport default {}\n`)
    const approved = [await approvalOf(folder, file)]
    const stateNow = async () => (await load(folder, { approved })).project?.state
    expect(await stateNow()).toBe('used')
    chmodSync(part, 0o666)
    expect(await stateNow()).toBe('refused')
    rmSync(part)
    expect(await stateNow()).toBe('changed')
    folder.write('work/part.mjs', 'export const name = "x"\n')
    expect(await stateNow()).toBe('used')
  })

  it.skipIf(process.platform === 'win32')(
    'names the file that others can write to: the config, its env file or a file that it imports',
    async () => {
      const folder = tempFolder()
      const command = { command: 'x', envFile: './a.env' }
      const data = folder.write('work/toolcrib.config.json', { discovery: { servers: { theirs: command } } })
      const env = folder.write('work/a.env', 'A=1\n')
      const reasonNow = async () => (await load(folder)).project?.fault
      const fix = (path: string) => `Run \`chmod go-w ${path}\`, then \`toolcrib trust\``
      chmodSync(env, 0o664)
      expect(await reasonNow()).toBe(`It needs ${env}, which other users can write to, so it is not used. ${fix(env)}`)
      chmodSync(data, 0o664)
      expect(await reasonNow()).toBe(`Other users can write to it, so it is not used. ${fix(data)}`)
      rmSync(data)
      folder.write('work/toolcrib.config.mjs', `import { name } from './part.mjs'\nexport default {}\n`)
      const part = folder.write('work/part.mjs', 'export const name = "x"\n')
      chmodSync(part, 0o666)
      expect(await reasonNow()).toContain(fix(part))
    },
  )

  it.each([
    [
      'exports a CommonJS object',
      'toolcrib.config.js',
      'module.exports = { discovery: { servers: { own: { command: "x" } } } }\n',
    ],
    [
      'imports a CommonJS file',
      'toolcrib.config.mjs',
      'import part from "./part.cjs"\nexport default { discovery: { servers: part } }\n',
    ],
    [
      'imports in a circle',
      'toolcrib.config.mjs',
      'import { own } from "./a.mjs"\nexport default { discovery: { servers: { own: own() } } }\n',
    ],
    [
      'refers to a variable of a person',
      'toolcrib.config.mjs',
      'export default { discovery: { servers: { own: { command: "x", perPrincipal: true, env: { T: "${person.T}" } } } } }\n',
    ],
    [
      'exports a promise',
      'toolcrib.config.mjs',
      'export default Promise.resolve({ discovery: { servers: { own: { command: "x" } } } })\n',
    ],
  ])('runs a project config that %s', async (_, name, text) => {
    const folder = tempFolder()
    folder.write('work/part.cjs', 'module.exports = { own: { command: "x" } }\n')
    folder.write(
      'work/a.mjs',
      'import { command } from "./b.mjs"\nexport const own = () => ({ command: command() })\nexport const word = "x"\n',
    )
    folder.write('work/b.mjs', 'import { word } from "./a.mjs"\nexport const command = () => word\n')
    const approved = [await approvalOf(folder, folder.write(`work/${name}`, text))]
    const loaded = await load(folder, { approved })
    expect(loaded.problems).toEqual([])
    expect(loaded.servers).toMatchObject([{ name: 'own', connection: { command: 'x' } }])
  })

  it.each([
    ['imports data', 'import x from "./x.json"\nexport default {}\n', 'can only import TypeScript and JavaScript'],
    ['throws', 'throw new Error("5ecret")\n', 'fails with Error'],
    ['exports nothing', 'export const x = 1\n', 'found none'],
    [
      'names an env file',
      'export default { discovery: { servers: { a: { command: "x", envFile: ".env" } } } }\n',
      'names an env file',
    ],
  ])(
    'reports why it does not use a project config that %s, and keeps the config of the user valid',
    async (_, text, reason) => {
      const folder = tempFolder()
      folder.write('work/x.json', '{}')
      const approved = [await approvalOf(folder, folder.write('work/toolcrib.config.mjs', text))]
      const loaded = await load(folder, { approved })
      expect(loaded).toMatchObject({ isValid: true, servers: [], project: { state: 'invalid' } })
      expect(loaded.problems[0]?.message).toContain(reason)
      expect(JSON.stringify(loaded.problems)).not.toContain('5ecret')
    },
  )

  it('examines a project config with very many imports in bounded time', async () => {
    const folder = tempFolder()
    const text = 'import type '.repeat(80_000) + 'import ('.repeat(2_000) + ' '.repeat(20_000)
    const file = folder.write('work/toolcrib.config.ts', text)
    const approval = { path: file, folder: folder.at('work'), sha256: 'of another text' }
    const before = performance.now()
    expect((await load(folder, { approved: [approval] })).project?.state).toBe('changed')
    expect(performance.now() - before).toBeLessThan(10_000)
  })
})
