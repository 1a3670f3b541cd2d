import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../config/document.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import { addToConfig } from './write-config.ts'

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
