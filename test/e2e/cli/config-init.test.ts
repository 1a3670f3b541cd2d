// toolcrib config init: the new config is valid, imports the clients in use, and replaces no other config.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { parse } from 'jsonc-parser'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type CliHome, covers, createHome, root, run, serverScript } from './harness.ts'

const isConfig = new Ajv({ strict: false }).compile(
  JSON.parse(readFileSync(join(root, 'schema/config.schema.json'), 'utf8')),
)

function homeForTest(): CliHome {
  const home = createHome()
  onTestFinished(() => home.remove())
  return home
}

const validate = async (home: CliHome) => JSON.parse((await run(home, ['config', 'validate', '--json'])).stdout)
const CLEAN = { valid: true, errors: [], warnings: [] }

describe('config init', () => {
  it('config init writes a config that is valid, that an editor accepts, and that stays valid without its comment signs', async () => {
    covers('CLI-CONFIG-INIT')
    const home = homeForTest()
    const { stdout, code } = await run(home, ['config', 'init', '--yes'])
    const file = join(home.folder, '.config/toolcrib/config.jsonc')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^✓ Wrote ~\/\.config\/toolcrib\/config\.jsonc\nNext: add your servers to it\. `toolcrib config validate`/,
    )
    expect(await validate(home)).toMatchObject({ ...CLEAN, file })
    const text = readFileSync(file, 'utf8')
    const { $schema } = parse(text)
    expect($schema).toMatch(/^file:\/\/.*\/schema\/config\.schema\.json$/)
    expect(existsSync(new URL($schema))).toBe(true)
    // The lines with code, not those with sentences.
    const whole = text.replace(/^( *)\/\/ (?=[ "{}])/gm, '$1')
    expect(whole).not.toBe(text)
    for (const one of [text, whole]) expect([isConfig(parse(one)), isConfig.errors]).toEqual([true, null])
    home.write('.config/toolcrib/config.jsonc', whole)
    expect(await validate(home)).toMatchObject({ valid: true, errors: [] })
  })

  it('config init prints the config with --dry-run and writes nothing', async () => {
    const home = homeForTest()
    const { stdout, code } = await run(home, ['config', 'init', '--dry-run'])
    expect([code, isConfig(parse(stdout))]).toEqual([0, true])
    expect(existsSync(join(home.folder, '.config/toolcrib'))).toBe(false)
    const { written, text } = JSON.parse((await run(home, ['config', 'init', '--dry-run', '--json'])).stdout)
    expect([written, text]).toEqual([false, stdout])
  })

  it('config init writes nothing without --yes if it cannot ask', async () => {
    const home = homeForTest()
    const { code, stderr } = await run(home, ['config', 'init'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('--yes')
    expect(existsSync(join(home.folder, '.config/toolcrib'))).toBe(false)
  })

  it('config init imports the clients that were served without a config, so that no server is lost', async () => {
    const home = homeForTest()
    const entry = { command: process.execPath, args: [serverScript('everything')] }
    home.write('.cursor/mcp.json', { mcpServers: { mine: entry } })
    const names = async () =>
      JSON.parse((await run(home, ['list', '--json'])).stdout).servers.map((one: { name: string }) => one.name)
    expect(await names()).toEqual(['mine'])
    await run(home, ['config', 'init', '--yes'])
    expect(await names()).toEqual(['mine'])
    expect(await validate(home)).toMatchObject(CLEAN)
  })

  it('config init names its sample server so that it renames no server of a client', async () => {
    const home = homeForTest()
    const entry = { command: process.execPath, args: [serverScript('everything')] }
    home.write('.cursor/mcp.json', { mcpServers: { files: entry, sample: entry } })
    await run(home, ['config', 'init', '--yes'])
    const { servers } = JSON.parse((await run(home, ['list', '--json'])).stdout)
    expect(servers.map((one: { name: string }) => one.name).toSorted()).toEqual(['files', 'sample'])
    expect(readFileSync(join(home.folder, '.config/toolcrib/config.jsonc'), 'utf8')).toContain('"sample-2": {')
  })

  it.each(['.config/toolcrib/config.yaml', '.toolcrib/config.json'])(
    'config init changes nothing if %s exists',
    async (path) => {
      const home = homeForTest()
      const file = home.write(path, '{}\n')
      for (const flags of [['--yes'], ['--ts', '--yes'], ['--dry-run']]) {
        const { code, stderr } = await run(home, ['config', 'init', ...flags])
        expect(code).toBe(2)
        expect(stderr).toContain('there is a config already, and `config init` never changes one')
      }
      expect(readFileSync(file, 'utf8')).toBe('{}\n')
      expect(existsSync(join(home.folder, '.config/toolcrib/config.jsonc'))).toBe(false)
    },
  )

  it.each([
    [[], 'config.jsonc'],
    [['--ts'], 'config.ts'],
  ])('config init writes and approves the config of a folder with --project %j', async (flags, name) => {
    const home = homeForTest()
    expect((await run(home, ['config', 'init', '--project', '--yes', ...flags])).code).toBe(0)
    expect(existsSync(join(home.cwd, '.toolcrib', name))).toBe(true)
    expect(await validate(home)).toMatchObject(CLEAN)
    const { project } = JSON.parse((await run(home, ['config', 'show', '--json'])).stdout)
    expect(project).toMatchObject({ state: 'used', servers: 1 })
    expect((await run(home, ['config', 'init', '--project', '--yes'])).code).toBe(2)
  })

  it('config init writes a TypeScript config of the user that loads', async () => {
    const home = homeForTest()
    await run(home, ['config', 'init', '--ts', '--yes'])
    expect(readFileSync(join(home.folder, '.config/toolcrib/config.ts'), 'utf8')).toMatch(/^import \{ defineConfig \}/)
    expect(await validate(home)).toMatchObject(CLEAN)
  })

  it('config init writes the file given with --config, unless it exists', async () => {
    const home = homeForTest()
    const file = join(home.folder, 'mine.jsonc')
    expect((await run(home, ['config', 'init', '--yes', '--config', file])).code).toBe(0)
    expect((await run(home, ['config', 'validate', '--config', file])).stdout).toContain('0 errors, 0 warnings')
    expect((await run(home, ['config', 'init', '--yes', '--config', file])).code).toBe(2)
  })

  it('config init mentions `toolcrib trust` only for a config of the folder, because --config needs no approval', async () => {
    const home = homeForTest()
    const init = async (...flags: readonly string[]) =>
      (await run(home, ['config', 'init', '--project', '--yes', ...flags])).stdout
    expect(await init()).toContain('toolcrib trust')
    const given = await init('--config', join(home.folder, 'mine.jsonc'))
    expect(given).toContain('Wrote ~/mine.jsonc')
    expect(given).not.toContain('toolcrib trust')
  })
})
