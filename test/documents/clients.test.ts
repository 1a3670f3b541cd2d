// docs/clients.md has the files that `toolcrib install` writes, and entries that the clients understand.

import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { importers } from '../../src/config/imports/builtins.ts'
import { clientNames, clientsWith } from '../../src/setup/known-clients.ts'

const PAGE = 'docs/clients.md'
const MARKS = ['<!-- clients: made by test/documents/clients.test.ts -->', '<!-- end of clients -->'] as const
const page = readFileSync(PAGE, 'utf8')

describe('docs/clients.md', () => {
  it('docs/clients.md lists the files of every client, as the importers know them', () => {
    const [before = '', rest = ''] = page.split(MARKS[0])
    const [, after = ''] = rest.split(MARKS[1])
    const expected = [before, MARKS[0], '\n\n', table(), '\n\n', MARKS[1], after].join('')
    // UPDATE_DOCS=1 npx vitest run test/documents/clients.test.ts
    if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, expected)
    expect(page).toBe(expected)
  })

  it.each(clientNames())(
    'docs/clients.md has an entry for %s that its importer reads as this gateway',
    async (name) => {
      const section = page.split(/^### /m).find((part) => part.split('\n')[0]?.split(', ').includes(name))
      const [, text] = /```(?:json|toml)\n([\s\S]*?)```/.exec(section ?? '') ?? []
      expect(text, `Add an entry for ${name} to ${PAGE}.`).toBeDefined()
      const environment = { home: '/h', cwd: '/w', platform: 'linux' as const, env: {} }
      const importer = importers.get(name)
      const path = importer?.paths(environment)[0]?.path ?? ''
      const read = await importer?.parse(text ?? '', path, environment)
      // The importer understands the entry: it finds that the entry starts this gateway.
      expect(read?.problems).toMatchObject([{ severity: 'info', found: 'a Toolcrib gateway' }])
    },
  )
})

function table(): string {
  const rows = clientNames().map((name) => {
    const mac = userFile(name, 'darwin')
    const linux = userFile(name, 'linux')
    const windows = userFile(name, 'win32')
    const unix = mac === linux ? `\`${mac}\`` : `macOS \`${mac}\`<br>Linux \`${linux}\``
    const project = fileOf(name, 'linux', 'project')
    return `| ${name} | ${unix}<br>Windows \`${windows}\` | ${project === undefined ? '' : `\`${project}\``} |`
  })
  return ['| client | file of the user | file of a project |', '|---|---|---|', ...rows].join('\n')
}

function userFile(name: string, platform: NodeJS.Platform): string {
  return fileOf(name, platform, 'user') ?? ''
}

function fileOf(name: string, platform: NodeJS.Platform, scope: 'user' | 'project'): string | undefined {
  const isWindows = platform === 'win32'
  const [home, cwd] = isWindows ? ['C:\\~', 'C:\\project'] : ['/~', '/project']
  const environment = { home, cwd, platform, env: isWindows ? { APPDATA: '%APPDATA%' } : {} }
  const file = clientsWith(environment, scope).find((client) => client.name === name)?.file
  return file?.replace(/^(?:C:\\|\/)~/, '~').replace(/^\/project/, '.')
}
