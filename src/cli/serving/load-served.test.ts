import { expect, it } from 'vitest'
import { load } from '../../config/load/load.fixture.ts'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { withoutFolderServers } from './load-served.ts'

it('leaves out a server that uses the open folder of its client, names it in a note, and keeps the others', async () => {
  const folder = tempFolder()
  const open = `\${workspaceFolder}`
  folder.write('home/.cursor/mcp.json', {
    mcpServers: { notes: { command: 'notes' }, files: { command: 'files', args: [open] } },
  })
  const loaded = await load(folder)
  expect(loaded.servers.map(({ name }) => name).toSorted()).toEqual(['files', 'notes'])
  const { servers, note } = withoutFolderServers(loaded)
  expect(servers.map(({ name }) => name)).toEqual(['notes'])
  expect(note).toContain("'files'. It needs the folder that a client has open")
  expect(withoutFolderServers({ ...loaded, servers })).toEqual({ servers, note: undefined })
})
