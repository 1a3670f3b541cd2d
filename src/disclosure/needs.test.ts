import { describe, expect, it } from 'vitest'
import { takeSnapshot } from '../catalog/snapshot.ts'
import { entryOf } from '../sources/source.fixture.ts'
import { type Needs, serverOrTools, sourcesNeeded, toolsNamed, toolsToRun, toolToRun } from './needs.ts'

const sources = ['hub', 'hub:eu', 'git', 'cold']
const known = takeSnapshot([
  { sourceId: 'hub', entries: [entryOf('issue'), entryOf('shared')] },
  { sourceId: 'git', entries: [entryOf('log'), entryOf('shared')] },
])
const neededFor = (needs: Needs) => sourcesNeeded(needs, known, () => sources)

describe('the sources that a request needs', () => {
  it.each<[string, Needs, readonly string[] | 'all']>([
    ['are all for a request that names nothing', 'all', 'all'],
    ['are the named servers', { servers: ['cold'] }, ['cold']],
    ['are none for known tools, by any of their names', toolsNamed(['log', 'git:log', 'git__log', 'shared']), []],
    ['are those that unknown names begin with', toolsNamed(['cold:a', 'cold__b', 'git:c']), ['cold', 'git']],
    ['are the server with the longest name that fits', toolsNamed('hub:eu:a'), ['hub:eu']],
    ['are all for a name that could be of any server', toolsNamed(['log', 'nowhere']), 'all'],
    ['are all for arguments that name no text', toolsNamed(undefined), 'all'],
    ['are those of a list that came as text', toolsNamed('["log","cold:a"]'), ['cold']],
    ['are the server beside which a tool is named', serverOrTools({ server: 'cold', tool: 'x' }, 'tool'), ['cold']],
    ['are none for a result to read on in', toolToRun({ handle: 'h' }, 'tool'), []],
    ['are those of every entry of a batch', toolsToRun({ commands: [{ command: 'cold:a' }] }, 'commands'), ['cold']],
    ['are all for a batch that is malformed', toolsToRun({ commands: 'x' }, 'commands'), 'all'],
  ])('%s', (_name, needs, expected) => {
    expect(neededFor(needs)).toEqual(expected)
  })
})
