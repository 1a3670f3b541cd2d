import { describe, expect, it } from 'vitest'
import { tempFolder } from '../temp-folder.fixture.ts'
import { load, mcpServers } from './load.fixture.ts'

describe('loadConfig with an invalid config', () => {
  it.each([
    [
      'config.json',
      '{"discovery": {"servers": [{"name": "a", "connection": {"command": 3}}]}}',
      'discovery.servers[0].connection.command',
      'a string',
      'a number',
    ],
    ['config.yaml', 'discovery:\n  cache:\n    ttl: soon\n', 'discovery.cache.ttl', 'a number', 'a string'],
    [
      'config.ts',
      'export default { discovery: { toolRules: [{ pattern: 1 }] } }',
      'discovery.toolRules[0].pattern',
      'a string or a list',
      'a number',
    ],
    ['config.json', '{"discovery": []}', 'discovery', 'an object', 'an empty list'],
    ['config.json', '[]', '', 'an object', 'an empty list'],
    ['config.json', '{"discovery": {', '', 'valid JSON', 'close brace expected'],
    ['config.yaml', 'a: [', '', 'valid YAML', 'bad indent'],
    ['config.json', '', '', 'a config file', 'an empty file; write {} for an empty config'],
    ['config.json', 'null', '', 'a config file', 'an empty file; write {} for an empty config'],
    ['config.yaml', '# soon\n', '', 'a config file', 'an empty file; write {} for an empty config'],
    ['config.mjs', 'export const x = 1\n', '', 'a default export', 'none'],
  ])(
    'rejects a %s with the content %j, and reports file, path, expected and found value',
    async (name, text, path, expected, found) => {
      const folder = tempFolder()
      const file = folder.write(`home/.toolcrib/${name}`, text)
      const loaded = await load(folder)
      expect(loaded.isValid).toBe(false)
      expect(loaded.problems).toContainEqual(
        expect.objectContaining({ file, path, expected, found, severity: 'error' }),
      )
    },
  )

  it('accepts a config after its error is corrected', async () => {
    const folder = tempFolder()
    folder.write('home/.toolcrib/config.mjs', 'export default { discovery: { servers: { a: { command: 1 } } } }\n')
    expect((await load(folder)).isValid).toBe(false)
    folder.write('home/.toolcrib/config.mjs', 'export default { discovery: { servers: { a: { command: "x" } } } }\n')
    expect(await load(folder)).toMatchObject({ isValid: true, servers: [{ name: 'a' }] })
  })
})

describe('loadConfig with an explicit config file', () => {
  it('uses an explicit config file instead of all others', async () => {
    const folder = tempFolder()
    folder.write('work/toolcrib.config.json', mcpServers('project'))
    const file = folder.write('elsewhere.yaml', 'discovery: {servers: {named: {command: x}}}\n')
    const loaded = await load(folder, { explicit: file })
    expect(loaded).toMatchObject({ origin: { kind: 'explicit', file }, servers: [{ name: 'named' }], watched: [file] })
  })

  it.each([
    ['missing.json', 'no such file'],
    ['.', 'a folder'],
    ['notes.txt', 'a file that is neither TypeScript, JavaScript, JSON, YAML nor TOML'],
  ])('reports an explicit config that cannot be used, and imports no client instead: %s', async (explicit, found) => {
    const folder = tempFolder()
    folder.write('home/.cursor/mcp.json', mcpServers('user'))
    folder.write('work/notes.txt', 'x')
    const loaded = await load(folder, { explicit })
    expect(loaded).toMatchObject({
      isValid: false,
      servers: [],
      problems: [{ file: folder.at('work', explicit), found }],
    })
  })
})
