import { expect, it } from 'vitest'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { setupJobIn } from '../../setup/setup-job.fixture.ts'
import { createOutput } from '../output/output.ts'
import { readTerminal } from '../output/terminal.ts'
import { clientStates, showClients } from './client-table.ts'

const GATEWAY = { mcpServers: { toolcrib: { command: 'toolcrib', args: ['serve'] } } }

/** The lines of `install` or `uninstall` without a client. `files` are the files of the home folder. */
async function shown(command: 'install' | 'uninstall', files: Readonly<Record<string, object | string>>) {
  const folder = tempFolder()
  for (const [path, content] of Object.entries(files)) folder.write(path, content)
  const printed: string[] = []
  const sinks = { out: (text: string) => void printed.push(text), err: () => {} }
  const output = createOutput({}, readTerminal(process, { NO_COLOR: '1' }), { sinks })
  const work = { ...setupJobIn(folder.path), output }
  await showClients(work, command, {})
  return { text: printed.join('').replaceAll(/\s+/g, ' '), states: await clientStates(work, {}), folder }
}

it('install does not suggest a client with a file that cannot be read', async () => {
  const { text } = await shown('install', { '.cursor/mcp.json': '{ "mcp', '.gemini/settings.json': { mcpServers: {} } })
  expect(text).toContain('`toolcrib install gemini --dry-run`')
})

it.each(['install', 'uninstall'] as const)(
  '%s asks to correct a file that cannot be read, and does not claim that every client or no client has the gateway',
  async (command) => {
    const files = {
      '.cursor/mcp.json': '{ "mcp',
      ...(command === 'install' ? { '.gemini/settings.json': GATEWAY } : {}),
    }
    const { text } = await shown(command, files)
    expect(text).toContain("Next: correct the file of 'cursor', because it cannot be read.")
    expect(text).not.toMatch(/All clients|Every client|No client|None of these/)
  },
)

it('names the file of a client that cannot be read, and the line of its error', async () => {
  const { text, states, folder } = await shown('uninstall', { '.config/Code/User/settings.json': '{ "mcp' })
  expect(text).toContain('settings.json cannot be read (line 1, column 3)')
  expect(states.find(({ client }) => client === 'vscode')).toMatchObject({
    state: 'unreadable',
    file: folder.at('.config/Code/User/settings.json'),
    position: 'line 1, column 3',
  })
})
