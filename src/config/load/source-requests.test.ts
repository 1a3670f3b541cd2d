import { describe, expect, it } from 'vitest'
import { sha256Of } from '../approval.ts'
import { renderProblem } from '../problem.ts'
import { tempFolder } from '../temp-folder.fixture.ts'
import { load, mcpServers, namesOf } from './load.fixture.ts'

describe('loadConfig with sources', () => {
  it('finds the path of a source below home, beside the config file, and beside the `.toolcrib` folder', async () => {
    const folder = tempFolder()
    folder.write('home/mine.json', mcpServers('home'))
    folder.write('home/.toolcrib/inside.json', mcpServers('inside'))
    folder.write('home/beside.json', mcpServers('beside'))
    const paths = ['~/mine.json', './inside.json', './beside.json']
    folder.write('home/.toolcrib/config.json', {
      discovery: { sources: paths.map((path) => ({ type: 'custom', path })) },
    })
    const loaded = await load(folder)
    expect(loaded.problems).toEqual([])
    expect(namesOf(loaded).toSorted()).toEqual(['beside', 'home', 'inside'])
  })

  it('selects clients by type, and their project files by scope', async () => {
    const folder = tempFolder()
    folder.write('home/.cursor/mcp.json', mcpServers('user'))
    const text = JSON.stringify(mcpServers('project'))
    const path = folder.write('work/.cursor/mcp.json', text)
    const sources = [{ type: 'cursor' }, { type: 'cursor', scope: 'project' }]
    folder.write('home/.toolcrib/config.json', { discovery: { sources } })
    const approved = [{ path, sha256: sha256Of(text) }]
    expect(namesOf(await load(folder, { approved }))).toEqual(['user', 'project'])
  })

  it('requires an approval in each project for sources with the scope `project`', async () => {
    const folder = tempFolder()
    const text = JSON.stringify(mcpServers('stranger'))
    const path = folder.write('work/.cursor/mcp.json', text)
    folder.write('home/.toolcrib/config.json', { discovery: { sources: [{ type: 'cursor', scope: 'project' }] } })
    const loaded = await load(folder)
    expect(loaded.servers).toEqual([])
    expect(loaded.problems).toMatchObject([{ file: path, found: 'no approval' }])
    expect(namesOf(await load(folder, { approved: [{ path, sha256: sha256Of(text) }] }))).toEqual(['stranger'])
  })

  it.each([
    [
      [{ type: 'claude-dekstop' }],
      "error: FILE discovery.sources[0].type: Unknown source type 'claude-dekstop'. Did you mean 'claude-desktop'?",
    ],
    [
      [{ type: 'custom' }],
      "error: FILE discovery.sources[0].path: 'custom' has no default file for the scope 'user'. Set 'path'",
    ],
    [
      [{ type: 'claude-desktop', scope: 'project' }],
      "error: FILE discovery.sources[0].path: 'claude-desktop' has no default file for the scope 'project'. Set 'path'",
    ],
    [
      [{ type: 'cursor', scope: 'all' }],
      "error: FILE discovery.sources[0].scope: Expected one of 'user', 'project', found 'all'",
    ],
  ])('reports invalid sources: %j', async (sources, expected) => {
    const folder = tempFolder()
    const file = folder.write('home/.toolcrib/config.json', {
      discovery: { servers: { a: { command: 'x' } }, sources },
    })
    const loaded = await load(folder)
    expect(loaded.problems.map(renderProblem)).toEqual([expected.replace('FILE', file)])
    expect(loaded).toMatchObject({ isValid: false, servers: [{ name: 'a' }] })
  })
})
