import { describe, expect, it } from 'vitest'
import { nameWarnings } from './name-warnings.ts'

describe('nameWarnings', () => {
  it.each(['search', 'create_issue', 'поиск', 'suche_über', '検索', 'café', 'δ'])(
    'does not warn of the name %s',
    (name) => {
      expect(nameWarnings(name)).toEqual([])
    },
  )

  it.each(['execute_tool', 'search_tools', 'manage_tools', 'afd-call'])(
    'warns of %s, a name of the gateway',
    (name) => {
      expect(nameWarnings(name)).toEqual([expect.stringContaining('the name of a tool of Toolcrib itself')])
    },
  )

  it.each([
    ['s\u0435arch', 'U+0435'],
    ['p\u0456d', 'U+0456'],
    ['del\u03b5te', 'U+03B5'],
    ['\uff52ead_file', 'U+FF52'],
  ])('warns of %s, which looks like another name', (name, code) => {
    expect(nameWarnings(name)).toEqual([expect.stringContaining(code)])
  })
})
