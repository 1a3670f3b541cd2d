import { describe, expect, it } from 'vitest'
import { lookAlikeWarnings } from './clean-tool.ts'
import { checkTools } from './tool-list.ts'

const toolOf = (tool: object) => checkTools([{ name: 'one', inputSchema: { type: 'object' }, ...tool }]).tools[0]

describe('the texts of a tool', () => {
  it('cleans the texts of a tool, with a warning for each changed field', () => {
    const tool = toolOf({
      title: 'Ti\u200btle',
      description: 'De\u{e0041}\u{e0042}\u001b[8mscription',
      annotations: { title: 'T\u202ei', readOnlyHint: true },
      inputSchema: { type: 'object', properties: { a: { description: 'x\u200b', oneOf: [{ title: 'y\u200b' }] } } },
      outputSchema: { type: 'object', description: 'z\u200b' },
    })
    expect(tool).toEqual({
      name: 'one',
      title: 'Title',
      description: 'Description',
      annotations: { title: 'Ti', readOnlyHint: true },
      inputSchema: { type: 'object', properties: { a: { description: 'x', oneOf: [{ title: 'y' }] } } },
      outputSchema: { type: 'object', description: 'z' },
      warnings: [
        '1 invisible character was removed from the title',
        '2 invisible characters and 1 terminal sequence were removed from the description',
        '2 invisible characters were removed from the input schema',
        '1 invisible character was removed from the output schema',
        '1 invisible character was removed from the annotations',
      ],
    })
  })

  it('cleans the metadata that a model sees, and nothing else in _meta', () => {
    const examples = [{ title: 'O\u200bne', input: { q: 'a\u{e0041}', list: ['\u202eb'] }, output: '\u001b[8mc' }]
    const tool = toolOf({ _meta: { category: 'Is\u200bsues', examples, 'example.com/id': 'x\u200b' } })
    expect(tool?._meta).toEqual({
      category: 'Issues',
      examples: [{ title: 'One', input: { q: 'a', list: ['b'] }, output: 'c' }],
      'example.com/id': 'x\u200b',
    })
    expect(tool?.warnings).toEqual(['4 invisible characters and 1 terminal sequence were removed from the metadata'])
  })

  it('cleans the texts of a property that is named like a keyword', () => {
    const schema = {
      type: 'object',
      properties: { default: { description: 'a\u200b' }, enum: { description: 'b\u200b' } },
    }
    expect(toolOf({ inputSchema: schema })?.inputSchema).toEqual({
      type: 'object',
      properties: { default: { description: 'a' }, enum: { description: 'b' } },
    })
  })
})

describe('names and values', () => {
  it('keeps names and values that contain invisible characters, and shows them with escapes in a warning', () => {
    const inputSchema = {
      type: 'object',
      properties: { 'a\u200bb': { enum: ['c\u{e0041}'], default: 'd\u202e', pattern: 'e\u200b' } },
      required: ['a\u200bb'],
    }
    const tool = toolOf({ name: 'na\u200bme', inputSchema })
    expect(tool?.inputSchema).toEqual(inputSchema)
    expect(tool?.name).toBe('na\u200bme')
    expect(tool?.warnings).toEqual([
      "its name contains invisible characters: 'na\\u{200b}me'",
      "names or values in its schemas contain invisible characters: 'a\\u{200b}b', 'c\\u{e0041}', 'd\\u{202e}', 'e\\u{200b}'",
    ])
  })
})

it('a tool without hidden characters keeps its schema object and has no warnings', () => {
  const inputSchema = { type: 'object', properties: { a: { description: 'plain' } } }
  const tool = toolOf({ inputSchema })
  expect(tool?.inputSchema).toBe(inputSchema)
  expect(tool).not.toHaveProperty('warnings')
})

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
    ['ａｂｃ', 'U+FF41, U+FF42, U+FF43'],
  ])('warns of %s, which looks like another name', (name, code) => {
    expect(lookAlikeWarnings(name)).toEqual([expect.stringContaining(code)])
  })

  it.each(['ａｂｃ', '\uff52ead_file'])(
    'does not report the full-width letters of %s as letters of another script',
    (name) => {
      expect(lookAlikeWarnings(name)).toEqual([
        expect.stringMatching(/^its name contains full-width letters, which look like other letters: U\+FF/),
      ])
    },
  )

  it('reports both the Cyrillic and the full-width letters of a name', () => {
    expect(lookAlikeWarnings('\uff52\u0435ad')).toEqual([
      'its name mixes Latin letters with letters of another script that look alike: U+0435',
      'its name contains full-width letters, which look like other letters: U+FF52',
    ])
  })
})
