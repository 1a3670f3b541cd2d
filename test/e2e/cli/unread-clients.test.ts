// A client file of the project that the config in force does not name as a source: an approval alone has no effect.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { type CliHome, covers, run } from './harness.ts'
import { list, type MarkedHome, markedHome, namedTools, servers, writeIn } from './trust.fixture.ts'

// Each test runs the program many times.
vi.setConfig({ testTimeout: 240_000 })

const CONFIG = '.config/toolcrib/config.json'
const SOURCE = '{"type":"cursor","scope":"project"}'
const TO_ADD = `Add \`${SOURCE}\` to \`discovery.sources\` of ~/${CONFIG}.`
const THEIRS = JSON.stringify({ mcpServers: { theirs: { command: 'run-me' } } })

/** A home with a config, and with a file of Cursor in the project that this config does not read. */
function unreadHome(config: object = { servers: { mine: namedTools('a') } }): MarkedHome {
  const home = markedHome()
  home.write(CONFIG, { discovery: config })
  writeIn(home.cwd, '.cursor/mcp.json', THEIRS)
  return home
}

async function flowing(home: CliHome, words: readonly string[]) {
  const { stdout, stderr, code } = await run(home, words)
  return { code, stderr, text: stdout.replace(/\s+/g, ' ') }
}

const sourcesOf = (home: CliHome, file = CONFIG) =>
  JSON.parse(readFileSync(join(home.folder, file), 'utf8')).discovery.sources

describe('trust', () => {
  it('trust names an approved client file that the config in force does not read, and the source to add', async () => {
    covers('CLI-TRUST-ASK')
    const home = unreadHome()
    for (const words of [['trust', '--yes'], ['trust'], ['trust', '.cursor/mcp.json']]) {
      const { code, text } = await flowing(home, words)
      expect(code).toBe(0)
      expect(text).toContain(`~/${CONFIG} does not read ~/project/.cursor/mcp.json, so its servers are not used.`)
      expect(text).toContain(TO_ADD)
      expect(text).not.toContain('can use the approved files')
      expect(text).not.toContain('Nothing to do')
    }
    expect(JSON.parse((await run(home, ['trust', '--json'])).stdout)).toMatchObject({
      notRead: [join(home.cwd, '.cursor/mcp.json')],
    })
    expect(await list(home)).toBe('mine\n')
  })

  it('an approved client file is used after its source is added as trust shows it', async () => {
    covers('CLI-TRUST-ASK')
    const home = unreadHome({ servers: { mine: namedTools('a') }, sources: [JSON.parse(SOURCE)] })
    expect(await list(home)).toBe('mine\n')
    const { text } = await flowing(home, ['trust', '--yes'])
    expect(text).toContain('can use the approved files from now on')
    expect(text).not.toContain('does not read')
    expect(await list(home)).toBe('mine\ntheirs\n')
  })

  it('trust does not say so about a client file that the config of the project names', async () => {
    covers('CLI-TRUST-ASK')
    const home = unreadHome()
    writeIn(home.cwd, 'toolcrib.config.json', servers({}, { sources: [JSON.parse(SOURCE)] }))
    const { text } = await flowing(home, ['trust', '--yes'])
    expect(text).not.toContain('does not read')
    expect(await list(home)).toBe('mine\ntheirs\n')
  })

  it('trust names the file of --config if that file does not name the client as a source', async () => {
    covers('CLI-TRUST-ASK')
    const home = unreadHome()
    home.write('other.json', { discovery: { servers: {} } })
    const { text } = await flowing(home, ['trust', '--yes', '--config', join(home.folder, 'other.json')])
    expect(text).toContain('~/other.json does not read ~/project/.cursor/mcp.json')
    expect(text).toContain(`Add \`${SOURCE}\` to \`discovery.sources\` of ~/other.json.`)
  })
})

describe('import', () => {
  it('import --write adds the source of an approved project file to a config that exists, once', async () => {
    covers('CLI-IMPORT-PROJECT')
    const home = unreadHome({ servers: { mine: namedTools('a') }, sources: [{ type: 'gemini' }] })
    const { text } = await flowing(home, ['import', '--write', '--yes'])
    expect(text).toContain('Served from the files of these clients: cursor (project)')
    expect(sourcesOf(home)).toEqual([{ type: 'gemini' }, JSON.parse(SOURCE)])
    expect(await list(home)).toBe('mine\ntheirs\n')
    const again = await flowing(home, ['import', '--write', '--yes'])
    expect(again.text).toContain('project file, approved) ✓ theirs')
    expect(sourcesOf(home)).toHaveLength(2)
  })

  it('import --write adds no source of a project file that is not approved', async () => {
    covers('CLI-IMPORT-PROJECT')
    const home = unreadHome()
    const { stderr } = await flowing(home, ['import', '--write'])
    expect(stderr).toContain('not used until you approve it')
    expect(sourcesOf(home)).toBeUndefined()
    expect(await list(home)).toBe('mine\n')
  })

  it('trust names the file that is not read before it says that the other files are used', async () => {
    covers('CLI-TRUST-ASK')
    const home = unreadHome({ servers: {}, sources: [{ type: 'claude-code', scope: 'project' }] })
    writeIn(home.cwd, '.mcp.json', JSON.stringify({ mcpServers: { other: namedTools('b') } }))
    const { text } = await flowing(home, ['trust', '--yes'])
    expect(text).toMatch(/does not read ~\/project\/\.cursor\/mcp\.json.* can use the other approved files from now on/)
  })

  it('import gives the servers of a project file that the config does not read no check mark, and says what to add', async () => {
    covers('CLI-IMPORT-PROJECT')
    const home = unreadHome()
    const first = await flowing(home, ['import', '--yes'])
    const second = await flowing(home, ['import'])
    for (const { text } of [first, second]) {
      expect(text).toContain('- theirs run-me')
      expect(text).toContain(`~/${CONFIG} does not read ~/project/.cursor/mcp.json, so its servers are not used.`)
      expect(text).toContain(TO_ADD)
    }
    expect(second.text).toContain(`copies your servers into ~/${CONFIG}, and adds the sources.`)
    const planned = await flowing(home, ['import', '--dry-run'])
    expect(planned.text).toMatch(/\+ "sources": \[ \+ \{ \+ "type": "cursor", \+ "scope": "project" \+ \} \+ \]/)
    expect(sourcesOf(home)).toBeUndefined()
  })

  it('import --write prints the source to add by hand if it cannot edit the config', async () => {
    covers('CLI-IMPORT-PROJECT')
    const home = markedHome()
    const file = home.write('mine.toml', '[discovery]\n')
    writeIn(home.cwd, '.cursor/mcp.json', THEIRS)
    const { code, stderr } = await flowing(home, ['import', '--write', '--yes', '--config', file])
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /end of the file by hand:\n +\[\[discovery\.sources\]\]\n +type = "cursor"\n +scope = "project"\n/,
    )
    expect(stderr).not.toContain('discovery.servers')
  })
})
