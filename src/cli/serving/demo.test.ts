import { expect, it } from 'vitest'
import { load } from '../../config/load/load.fixture.ts'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { withDemo } from './demo.ts'

it('a configuration with a server or with a source in code does not get the example servers', async () => {
  const folder = tempFolder()
  folder.write('home/.cursor/mcp.json', { mcpServers: { notes: { command: 'notes' } } })
  const withServer = await load(folder)
  expect(await withDemo(withServer)).toBe(withServer)
  const source = { name: 'own', create: () => expect.fail('the source is not opened') }
  const config = { ...withServer.config, plugins: { sources: [source] } }
  const withSource = { ...withServer, servers: [], config }
  expect(await withDemo(withSource)).toBe(withSource)
})
