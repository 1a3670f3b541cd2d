import { describe, expect, it } from 'vitest'
import { takeSnapshot } from '../catalog/snapshot.ts'
import { entryOf } from '../sources/source.fixture.ts'
import { type Needs, parseNames, serverOrTools, sourcesNeeded, toolsNamed, toolsToRun, toolToRun } from './needs.ts'

const sources = ['hub', 'hub:eu', 'git', 'cold']
const known = takeSnapshot([
  { sourceId: 'hub', entries: [entryOf('issue'), entryOf('shared')] },
  { sourceId: 'git', entries: [entryOf('log'), entryOf('shared')] },
])
const neededFor = (needs: Needs) => sourcesNeeded(needs, known, () => sources)

describe('the sources that a request needs', () => {
  it.each<[string, Needs, readonly string[] | 'all']>([
    ['are all sources for a request without names', 'all', 'all'],
    ['are the named servers', { servers: ['cold'] }, ['cold']],
    ['are none for known tools, by any of their names', toolsNamed(['log', 'git:log', 'git__log', 'shared']), []],
    ['are the servers with which unknown names begin', toolsNamed(['cold:a', 'cold__b', 'git:c']), ['cold', 'git']],
    ['are the server with the longest matching name', toolsNamed('hub:eu:a'), ['hub:eu']],
    ['are all sources for a name that could belong to any server', toolsNamed(['log', 'nowhere']), 'all'],
    ['are all sources for names that are not text', toolsNamed(undefined), 'all'],
    ['are those of a list that was sent as JSON text', toolsNamed('["log","cold:a"]'), ['cold']],
    [
      'are the given server if both a server and a tool are given',
      serverOrTools({ server: 'cold', tool: 'x' }, 'tool'),
      ['cold'],
    ],
    ['are none for a call that reads more of a kept result', toolToRun({ handle: 'h' }, 'tool'), []],
    ['are those of every entry of a batch', toolsToRun({ commands: [{ command: 'cold:a' }] }, 'commands'), ['cold']],
    ['are all sources for a malformed batch', toolsToRun({ commands: 'x' }, 'commands'), 'all'],
  ])('the sources that a request needs %s', (_name, needs, expected) => {
    expect(neededFor(needs)).toEqual(expected)
  })
})

describe('parseNames', () => {
  it.each([
    ['a', 'a'],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    ['["a","b"]', ['a', 'b']],
    [' ["a"]', ['a']],
    ['[a', '[a'],
    ['[7]', '[7]'],
    ['[]', []],
    [[], []],
    [7, 7],
  ])('reads %j as %j', (given, names) => {
    expect(parseNames(given)).toEqual(names)
  })
})
