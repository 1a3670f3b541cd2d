// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { expect, it } from 'vitest'
import { context, importerContract } from './importer.contract.ts'
import { commonEntry, environments, MALFORMED_JSON } from './mcp-servers.fixture.ts'
import { windsurf } from './windsurf.ts'

const path = '/h/ada/.codeium/windsurf/mcp_config.json'

importerContract({
  importer: windsurf,
  path,
  entry(server) {
    const { url, ...rest } = commonEntry(server)
    return url === undefined ? rest : { serverUrl: url, ...rest }
  },
  document: (entries) => ({ mcpServers: entries }),
  malformed: MALFORMED_JSON,
})

it.each([
  [
    'linux',
    [
      '/h/ada/.codeium/windsurf/mcp_config.json',
      '/h/ada/.codeium/windsurf-next/mcp_config.json',
      '/h/ada/.windsurf/mcp.json',
    ],
  ],
  [
    'darwin',
    [
      '/h/ada/.codeium/windsurf/mcp_config.json',
      '/h/ada/.codeium/windsurf-next/mcp_config.json',
      '/h/ada/.windsurf/mcp.json',
    ],
  ],
  [
    'win32',
    [
      'C:\\Ada\\.codeium\\windsurf\\mcp_config.json',
      'C:\\Ada\\.codeium\\windsurf-next\\mcp_config.json',
      'C:\\Ada\\.windsurf\\mcp.json',
    ],
  ],
] as const)('finds the files of Windsurf on %s', (platform, paths) => {
  expect(windsurf.paths(environments[platform])).toEqual(paths.map((one) => ({ path: one, scope: 'user' })))
})

it('turns disabled tools into rules, in both spellings, and translates variables', async () => {
  const text = JSON.stringify({
    mcpServers: {
      a: { command: 'x', env: { T: '${env:TOKEN}', S: '${SEED}' }, disabledTools: ['drop', 'rm -rf'] },
      b: { serverUrl: 'https://b.example/${env:PART}', disabled_tools: ['drop'] },
    },
  })
  const { servers, rules, problems } = await windsurf.parse(text, path, context)
  expect(problems).toEqual([])
  expect(servers.map(({ connection }) => connection)).toMatchObject([
    { env: { T: '${TOKEN}', S: '${SEED}' } },
    { url: 'https://b.example/${PART}' },
  ])
  expect(rules).toMatchObject([
    { server: 'a', pattern: ['drop', 'rm -rf'], enabled: false },
    { server: 'b', pattern: ['drop'], enabled: false },
  ])
})

it('reports a problem with the address under the key `serverUrl`, which Windsurf uses', async () => {
  const { problems } = await windsurf.parse('{"mcpServers": {"a": {"serverUrl": "ftp://x"}}}', path, context)
  expect(problems).toMatchObject([{ path: 'mcpServers.a.serverUrl', expected: 'an http or https address' }])
})
