import { expect, it } from 'vitest'
import { tempFolder } from '../config/temp-folder.fixture.ts'
import { openClientFile } from './client-file.ts'
import { setupJobIn } from './setup-job.fixture.ts'

it('the error about a file that cannot be read names the newest backup beside it', async () => {
  const folder = tempFolder()
  const file = folder.write('.cursor/mcp.json', '{ "mcp')
  const open = () => openClientFile(setupJobIn(folder.path), 'cursor', {}, 'uninstall')
  await expect(open()).rejects.toThrow(/column 3\)\. Correct the file first, by hand or in the client\.$/)
  folder.write('.cursor/mcp.json.toolcrib-backup-20260101T000000000Z', '{}')
  folder.write('.cursor/mcp.json.toolcrib-backup-20260102T000000000Z', '{}')
  await expect(open()).rejects.toThrow(`The newest backup of it is ${file}.toolcrib-backup-20260102T000000000Z`)
})
