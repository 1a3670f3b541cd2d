import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../config/document.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import { addToConfig, editServer, hasServer, type ServerEdit } from './write-config.ts'

const server: ServerConfig = {
  name: 'b',
  title: 'Bee',
  connection: { type: 'stdio', command: 'x', args: ['y'], env: { A: `\${A}` } },
  enabled: false,
  origin: { source: 'cursor', file: 'mcp.json' },
}
const addition = {
  servers: [server],
  rules: [{ pattern: ['*_delete'], server: 'b', enabled: false }],
  sources: [{ type: 'zed' }],
}

describe('addToConfig', () => {
  it.each([
    ['config.json', '{\n  // mine\n  "discovery": {"servers": {"a": {"command": "z"}}}\n}\n'],
    ['config.yaml', '# mine\ndiscovery:\n  servers:\n    a:\n      command: z\n'],
  ])('keeps the content of %s, including its comments', async (file, text) => {
    const changed = (await addToConfig(text, file, addition))!
    expect(changed).toContain('mine')
    const parsed = await parseDocument(changed, file.endsWith('json') ? 'json' : 'yaml', file)
    expect(parsed).toMatchObject({
      ok: true,
      value: {
        discovery: {
          servers: {
            a: { command: 'z' },
            b: { title: 'Bee', command: 'x', args: ['y'], env: { A: `\${A}` }, enabled: false },
          },
          toolRules: [{ server: 'b', pattern: ['*_delete'], enabled: false }],
          sources: [{ type: 'zed' }],
        },
      },
    })
  })

  it('creates a new file, and adds to a list of servers or to an object of servers', async () => {
    for (const file of ['config.json', 'config.yaml']) {
      expect(await addToConfig('', file, addition)).toContain('discovery')
    }
    const list = await addToConfig('{"discovery": {"servers": [{"name": "a", "command": "z"}]}}', 'c.json', addition)
    expect(JSON.parse(list!).discovery.servers).toEqual([
      { name: 'a', command: 'z' },
      expect.objectContaining({ name: 'b' }),
    ])
  })

  it('keeps the layout of YAML except for the new parts', async () => {
    const text = [
      '\uFEFF# mine',
      'discovery:',
      '    servers:',
      '        # about one',
      '        one: {command: "o", args: ["a", "b"]} # tail',
      '',
      '        two:',
      "            command: 't'",
      '            args:',
      '                - x',
      '    rules: []',
      '',
    ].join('\r\n')
    const changed = await addToConfig(text, 'config.yaml', {
      servers: [{ ...server, enabled: true }],
      rules: [],
      sources: [],
    })
    const added = [
      '        b:',
      '            title: Bee',
      '            command: x',
      '            args:',
      '                - y',
    ]
    const env = ['            env:', `                A: \${A}`]
    expect(changed).toBe(text.replace('    rules:', [...added, ...env, '    rules:'].join('\r\n')))
  })

  it('returns undefined for modules and for files with a syntax error', async () => {
    expect(await addToConfig('export default {}', 'config.ts', addition)).toBeUndefined()
    expect(await addToConfig('{', 'config.json', addition)).toBeUndefined()
  })
})

async function edited(text: string, name: string, edit: ServerEdit, file = 'config.json'): Promise<string> {
  const result = await editServer(text, file, name, edit)
  return result.kind === 'edited' ? result.text : result.kind
}

const JSON_TEXT = `{
  // Our servers.
  "discovery": {
    "servers": {
      "files": { "command": "npx" }, // reads files
      /* the second one */
      "web": {
        "url": "https://a.example/mcp",
      },
    },
  },
}
`

describe('a config in JSON with comments', () => {
  it('a JSON config with comments loses only the removed server', async () => {
    expect(await edited(JSON_TEXT, 'web', 'remove')).toBe(`{
  // Our servers.
  "discovery": {
    "servers": {
      "files": { "command": "npx" }, // reads files
      /* the second one */
    },
  },
}
`)
  })

  it('a JSON config has the same text again after a server was switched off and on', async () => {
    const off = await edited(JSON_TEXT, 'files', 'disable')
    expect(off).toContain('"files": { "command": "npx", "enabled": false }, // reads files')
    expect(await edited(off, 'files', 'enable')).toBe(JSON_TEXT)
  })

  it('a server with the key `disabled` in a JSON config is switched off with this key, and loses it when switched on', async () => {
    const text = '{"discovery":{"servers":{"a":{"command":"x","disabled":true}}}}'
    const on = await edited(text, 'a', 'enable')
    expect(on).toBe('{"discovery":{"servers":{"a":{"command":"x"}}}}')
    expect(await edited(text, 'a', 'disable')).toBe(text)
    const pasted = '{"discovery":{"servers":{"a":{"command":"x","disabled":false}}}}'
    expect(await edited(pasted, 'a', 'disable')).toBe(text)
  })

  it('a JSON config can contain the servers as a list', async () => {
    const text = `{
  "discovery": {
    "servers": [
      // first
      { "name": "a", "command": "x" },
      { "name": "b", "command": "y" } // second
    ]
  }
}
`
    const off = await edited(text, 'a', 'disable')
    expect(off).toContain('// first\n')
    expect(off).toContain('// second\n')
    expect(JSON.parse(off.replace(/\/\/.*/g, '')).discovery.servers).toEqual([
      { name: 'a', command: 'x', enabled: false },
      { name: 'b', command: 'y' },
    ])
    const without = await edited(text, 'b', 'remove')
    expect(without).toContain('// first\n')
    expect(JSON.parse(without.replace(/\/\/.*/g, '')).discovery.servers).toEqual([{ name: 'a', command: 'x' }])
  })

  it('a JSON config is not changed if it has no such server, a syntax error or a duplicate key', async () => {
    expect(await edited(JSON_TEXT, 'fils', 'remove')).toBe('absent')
    expect(await edited('{}', '__proto__', 'remove')).toBe('absent')
    expect(await edited('{ "discovery": ', 'a', 'remove')).toBe('unwritable')
    const twice = '{"discovery":{"servers":{"a":{"command":"x"},"a":{"command":"y"}}}}'
    expect(await edited(twice, 'a', 'remove')).toBe('unwritable')
  })
})

describe('a config in YAML', () => {
  const text = `# Our servers.
discovery:
  servers:
    # reads files
    files:
      command: npx
    # the second one
    web:
      url: https://a.example/mcp # remote
`

  it('a YAML config keeps its comments when a server is removed or switched off', async () => {
    const off = await edited(text, 'files', 'disable', 'config.yaml')
    expect(off).toBe(text.replace('command: npx\n', 'command: npx\n      enabled: false\n'))
    expect(await edited(off, 'files', 'enable', 'config.yaml')).toBe(text)
    const without = await edited(text, 'web', 'remove', 'config.yaml')
    expect(without).toContain('# reads files\n    files:')
    expect(without).not.toContain('web')
  })

  it('an entry of a YAML config that is an alias is not changed, but can be removed', async () => {
    const aliased = 'discovery:\n  servers:\n    a: &base\n      command: x\n    b: *base\n'
    expect(await edited(aliased, 'b', 'disable', 'config.yaml')).toBe('unwritable')
    expect(await edited(aliased, 'b', 'remove', 'config.yaml')).not.toContain('*base')
  })
})

it.each(['config.ts', 'config.toml'])('%s is not edited, so the user must do it by hand', async (file) => {
  const text = '[discovery.servers.a]\ncommand = "x"\n'
  expect(await edited(text, 'a', 'disable', file)).toBe('unwritable')
})

it('hasServer finds the name of a server in the text of a config, and returns undefined for code', async () => {
  expect(await hasServer(JSON_TEXT, 'config.json', 'web')).toBe(true)
  expect(await hasServer(JSON_TEXT, 'config.json', 'toString')).toBe(false)
  expect(await hasServer('export default {}', 'config.ts', 'web')).toBeUndefined()
})
