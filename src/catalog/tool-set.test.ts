import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entryOf } from '../sources/source.fixture.ts'
import { takeSnapshot } from './snapshot.ts'
import { serverIn, toolId } from './tool-set.ts'

describe('toolId', () => {
  it('joins server and tool with a colon, even if the name of the server has colons', () => {
    expect(toolId('plugin:hub:eu', 'create_issue')).toBe('plugin:hub:eu:create_issue')
  })

  it('returns a different id for every pair of a server and a tool', () => {
    const name = fc.stringMatching(/^[ab:%]{1,5}$/)
    fc.assert(
      fc.property(name, name, name, name, (server, tool, other, another) => {
        fc.pre(server !== other || tool !== another)
        expect(toolId(server, tool)).not.toBe(toolId(other, another))
      }),
    )
  })
})

describe('a tool written as server:tool', () => {
  const snapshot = takeSnapshot([
    { sourceId: 'a', entries: [entryOf('b:c'), entryOf('d:e'), entryOf('100%')] },
    { sourceId: 'a:b', entries: [entryOf('c')] },
  ])

  it.each([
    ['a:b:c', 'a:b', 'c'],
    ['a:b%3Ac', 'a', 'b:c'],
    ['a:d:e', 'a', 'd:e'],
    ['a:100%', 'a', '100%'],
    ['d:e', 'a', 'd:e'],
  ])('resolves %s to server %s and tool %s: the longest server name wins', (written, sourceId, name) => {
    expect(snapshot.find(written)).toMatchObject({ sourceId, name })
  })
})

describe('serverIn', () => {
  it('returns the source with the longest matching name', () => {
    expect(serverIn('a:b:x', ['a', 'a:b', 'b'])).toBe('a:b')
    expect(serverIn('a__x', ['a', 'a:b'])).toBe('a')
    expect(serverIn('x', ['a'])).toBeUndefined()
  })
})
