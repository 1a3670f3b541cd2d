import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../config/temp-folder.fixture.ts'
import { BACKUP } from '../../../setup/files/write-file.ts'
import { setupJobIn } from '../../../setup/setup-job.fixture.ts'
import { createOutput } from '../../output/output.ts'
import { readTerminal } from '../../output/terminal.ts'
import { uninstallAll } from './run-uninstall.ts'

it('uninstall --all prints each backup that it has written, even if a later file cannot be written', async () => {
  const folder = tempFolder()
  const config = { mcpServers: { toolcrib: { command: 'toolcrib', args: ['serve'] } } }
  folder.write('.cursor/mcp.json', config)
  // A file with a name of the maximum length cannot be replaced, because the name of the temporary file is longer.
  const target = folder.write('x'.repeat(255), config)
  mkdirSync(folder.at('.gemini'))
  symlinkSync(target, folder.at('.gemini/settings.json'))
  const printed: string[] = []
  const sinks = { out: (text: string) => void printed.push(text), err: () => {} }
  const output = createOutput({}, readTerminal(process, { NO_COLOR: '1' }), { sinks })
  const work = { ...setupJobIn(folder.path), output }
  await expect(uninstallAll(work, { yes: true })).rejects.toThrow('settings.json')
  expect(readFileSync(folder.at('.cursor/mcp.json'), 'utf8')).not.toContain('toolcrib')
  const [backup = ''] = readdirSync(folder.at('.cursor')).filter((name) => name.includes(BACKUP))
  expect(printed.join('')).toContain(`Backup of the old file: ${folder.at('.cursor', backup)}`)
})
