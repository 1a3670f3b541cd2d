import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { serverEntry } from '../../../setup/files/write-config.ts'
import { type AddFlags, serverFromWords } from './add-server.ts'

const cwd = mkdtempSync(join(tmpdir(), 'toolcrib-add-'))
afterAll(() => rmSync(cwd, { recursive: true }))
writeFileSync(join(cwd, 'server.js'), '')
mkdirSync(join(cwd, 'notes'))

const environment = { cwd, home: join(cwd, 'home'), platform: 'linux' as const }

function entryOf(line: readonly string[], flags: Partial<AddFlags> = {}) {
  const isCommand = line[0] === '--'
  const words = isCommand ? line.slice(1) : line
  const given = { env: [], header: [], check: true, ...flags }
  return serverEntry(serverFromWords('one', words, given, { environment, isCommand }))
}

describe('a command after --', () => {
  it('a command after -- keeps its words and takes variables', () => {
    expect(entryOf(['--', 'npx', '-y', '@scope/server', 'stdio'], { env: ['A=b=c', 'EMPTY='] })).toEqual({
      command: 'npx',
      args: ['-y', '@scope/server', 'stdio'],
      env: { A: 'b=c', EMPTY: '' },
    })
  })

  it.each([
    [['--', 'node', 'server.js'], cwd],
    [['--', './run'], cwd],
    [['--', 'files-server', 'notes'], cwd],
    [['--', 'files-server', '.'], cwd],
    [['--', 'notes', 'serve'], undefined],
    [['--', 'node', 'other.js'], undefined],
    [['--', 'node', '/abs/server.js'], undefined],
    [['--', 'npx', 'server', '--config=server.js'], undefined],
  ])('%j starts in the current folder only if a word starts with a dot or an argument exists there', (line, folder) => {
    expect(entryOf(line).cwd).toBe(folder)
  })

  it('a command after -- starts in the folder that --cwd names', () => {
    expect(entryOf(['--', 'node', 'server.js'], { cwd: '~/work' }).cwd).toBe(join(cwd, 'home', 'work'))
    expect(entryOf(['--', 'x'], { cwd: 'sub' }).cwd).toBe(join(cwd, 'sub'))
  })
})

describe('an address', () => {
  it('an address takes headers, and its transport follows from the address or from --type', () => {
    const header = ['Authorization: Bearer a:b', 'X-Team:tools']
    expect(entryOf(['https://a.example/mcp'], { header })).toEqual({
      type: 'http',
      url: 'https://a.example/mcp',
      headers: { Authorization: 'Bearer a:b', 'X-Team': 'tools' },
    })
    expect(entryOf(['https://a.example/sse'])).toMatchObject({ type: 'sse' })
    expect(entryOf(['https://a.example/sse'], { type: 'http' })).toMatchObject({ type: 'http' })
  })
})

it.each<[readonly string[], Partial<AddFlags>, RegExp]>([
  [[], {}, /address of the server, or its command after --/],
  [['npx', 'server'], {}, /'npx' is not an address.*Write -- before the command.*`toolcrib add one -- npx \.\.\.`/],
  [['./run'], {}, /`toolcrib add one -- \.\/run \.\.\.`/],
  [['a.example/mcp'], {}, /http:\/\/ or https:\/\/.*To add a command, write it after --/],
  [['--'], {}, /command of the server after --/],
  [['--', 'x'], { header: ['A: b'] }, /--header is for an address/],
  [['--', 'x'], { type: 'http' }, /--type is for an address/],
  [['--', 'x'], { env: ['A'] }, /--env takes NAME=value/],
  [['https://a.example'], { env: ['A=b'] }, /--env is for a command/],
  [['https://a.example'], { cwd: '.' }, /--cwd is for a command/],
  [['https://a.example'], { header: ['A'] }, /--header takes 'Name: value'/],
  [['https://a.example'], { header: ['My Key: x'] }, /a name has no spaces/],
  [['https://a.example'], { type: 'stdio' }, /--type takes http or sse/],
])('the words %j with the flags %j are refused', (line, flags, reason) => {
  expect(() => entryOf(line, flags)).toThrow(reason)
})

it('refuses a name that a config cannot contain', () => {
  const flags = { env: [], header: [], check: true }
  expect(() => serverFromWords('a\nb', ['x'], flags, { environment, isCommand: true })).toThrow(/printable characters/)
})
