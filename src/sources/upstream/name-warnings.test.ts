import { describe, expect, it } from 'vitest'
import { lookAlikeWarnings, ownNameWarning } from './name-warnings.ts'

describe('lookAlikeWarnings', () => {
  it.each(['search', 'create_issue', 'поиск', 'suche_über', '検索', 'café', 'δ'])(
    'does not warn of the name %s',
    (name) => {
      expect(lookAlikeWarnings(name)).toEqual([])
    },
  )

  it.each([
    ['s\u0435arch', 'U+0435'],
    ['p\u0456d', 'U+0456'],
    ['del\u03b5te', 'U+03B5'],
    ['\uff52ead_file', 'U+FF52'],
  ])('warns of %s, which looks like another name', (name, code) => {
    expect(lookAlikeWarnings(name)).toEqual([expect.stringContaining(code)])
  })
})

describe('ownNameWarning', () => {
  it('shows the command that calls a tool with the name of one of the tools of the gateway', () => {
    expect(ownNameWarning('my shop', 'afd-call')).toBe(
      "it has the name of a tool of Toolcrib itself; to call it, name its server too: `toolcrib execute 'my shop' afd-call`",
    )
  })
})
