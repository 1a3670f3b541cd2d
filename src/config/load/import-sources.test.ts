import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Approval, sha256Of } from '../approval.ts'
import { realFiles } from '../config-files.ts'
import { cursor } from '../imports/cursor.ts'
import { vscode } from '../imports/vscode.ts'
import { type TempFolder, tempFolder } from '../temp-folder.fixture.ts'
import { importSources, type SourceRequest } from './import-sources.ts'

const oneServer = { mcpServers: { a: { command: 'x' } } }

async function run(
  folder: TempFolder,
  requests: readonly Partial<SourceRequest>[],
  approved: readonly Approval[] = [],
) {
  const imported = await importSources(
    requests.map((request) => ({ importer: cursor, files: [], isNamed: true, needsApproval: false, ...request })),
    { home: folder.at('home'), cwd: folder.at('work'), platform: 'linux', files: realFiles, approved },
  )
  return { results: imported.map(({ result }) => result), reports: imported.map(({ report }) => report) }
}

function userFiles(...paths: readonly string[]) {
  return paths.map((path) => ({ path, scope: 'user' as const }))
}

describe('importSources', () => {
  it('reads the files of a source up to the first file with servers', async () => {
    const folder = tempFolder()
    const [empty, first, second] = [
      folder.write('0.json', {}),
      folder.write('1.json', oneServer),
      folder.write('2.json', oneServer),
    ]
    const files = userFiles(folder.at('missing.json'), empty, first, second)
    const { results, reports } = await run(folder, [{ files }])
    expect(reports.map(({ path, state, servers }) => [path, state, servers])).toEqual([
      [empty, 'used', 0],
      [first, 'used', 1],
    ])
    expect(results.flatMap(({ problems }) => problems)).toEqual([])
  })

  it('reports a missing source only if the config names it', async () => {
    const folder = tempFolder()
    const files = userFiles(folder.at('a.json'), folder.at('b.json'))
    expect(await run(folder, [{ files, isNamed: false }])).toEqual({ results: [], reports: [] })
    const { results, reports } = await run(folder, [{ files }])
    expect(reports).toEqual([
      { type: 'cursor', path: folder.at('a.json'), scope: 'user', state: 'missing', servers: 0 },
    ])
    expect(results[0]?.problems).toMatchObject([
      { file: folder.at('a.json'), severity: 'warning', found: 'no such file' },
    ])
  })

  it('reports a source that cannot be read, and reads the others', async () => {
    const folder = tempFolder()
    const good = folder.write('good.json', oneServer)
    const bad = folder.write('bad.json', oneServer)
    const files = {
      ...realFiles,
      readText: (path: string) =>
        path === bad
          ? Promise.reject(Object.assign(new Error('5ecret'), { code: 'EACCES' }))
          : realFiles.readText(path),
    }
    const imported = await importSources(
      [bad, good].map((path) => ({ importer: cursor, files: userFiles(path), isNamed: true, needsApproval: false })),
      { home: '/h', cwd: '/w', platform: 'linux', files, approved: [] },
    )
    expect(imported.map(({ report }) => report.state)).toEqual(['unreadable', 'used'])
    expect(imported[0]?.result.problems).toMatchObject([{ file: bad, found: 'a file that cannot be read (EACCES)' }])
    expect(JSON.stringify(imported.map(({ result }) => result))).not.toContain('5ecret')
  })

  it('reads a file only once if two sources use it', async () => {
    const folder = tempFolder()
    const files = userFiles(folder.write('1.json', oneServer))
    const { results, reports } = await run(folder, [{ files }, { files, importer: vscode }])
    expect(reports.map(({ type, state, servers }) => [type, state, servers])).toEqual([
      ['cursor', 'used', 1],
      ['vscode', 'repeated', 0],
    ])
    expect(results[1]?.problems).toMatchObject([{ severity: 'info' }])
  })
})

describe('importSources with a file that needs approval', () => {
  const text = JSON.stringify(oneServer)

  it('uses a file that needs approval only with its approved text', async () => {
    const folder = tempFolder()
    const path = folder.write('mcp.json', text)
    const request = { files: [{ path, scope: 'project' as const }], needsApproval: true, isNamed: false }
    const approved = [{ path, folder: folder.at('work'), sha256: sha256Of(text) }]

    const without = await run(folder, [request])
    expect(without.results).toMatchObject([{ servers: [], problems: [{ severity: 'info', found: 'no approval' }] }])
    expect(without.results[0]?.problems[0]?.message).toContain("'a' is not used. Run `toolcrib trust`")
    expect(without.reports[0]?.state).toBe('unapproved')

    expect((await run(folder, [request], approved)).results[0]?.servers).toHaveLength(1)

    folder.write('mcp.json', text.replace('"x"', '"y"'))
    const changed = await run(folder, [request], approved)
    expect(changed.results).toMatchObject([
      { servers: [], rules: [], problems: [{ severity: 'warning', found: 'another text' }] },
    ])
  })

  it.skipIf(process.platform === 'win32')(
    'names the file that others can write to: the file of the client or its env file',
    async () => {
      const folder = tempFolder()
      const path = folder.write('mcp.json', { mcpServers: { a: { command: 'x', envFile: folder.at('a.env') } } })
      const env = folder.write('a.env', 'A=1\n')
      const request = { files: [{ path, scope: 'project' as const }], needsApproval: true }
      const messageNow = async () => (await run(folder, [request])).results[0]?.problems[0]?.message
      chmodSync(env, 0o664)
      expect(await messageNow()).toContain(`It needs ${env}, which other users can write to, so it is not used.`)
      expect(await messageNow()).toContain(`\`chmod go-w ${env}\``)
      chmodSync(path, 0o664)
      expect(await messageNow()).toContain(`\`chmod go-w ${path}\``)
    },
  )

  it('requires no approval for a file without servers, and reads the next file', async () => {
    const folder = tempFolder()
    const paths = [folder.write('empty.json', {}), folder.write('mcp.json', text)]
    const files = paths.map((path) => ({ path, scope: 'project' as const }))
    const { results, reports } = await run(folder, [{ files, needsApproval: true }])
    expect(results[0]).toEqual({ servers: [], rules: [], problems: [] })
    expect(reports.map(({ path, state }) => [path, state])).toEqual([
      [paths[0], 'used'],
      [paths[1], 'unapproved'],
    ])
  })
})
