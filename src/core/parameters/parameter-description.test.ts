import { describe, expect, it } from 'vitest'
import { shortDescription, wordSetOf } from './parameter-description.ts'
import type { Reading } from './schema-reader.ts'

const shorten = (
  name: string,
  description: string,
  { max = 100, known = '', defaultValue }: { max?: number; known?: string; defaultValue?: unknown } = {},
) => {
  const reading: Reading = { forms: [], isWhole: true, description, default: defaultValue, examples: [] }
  return shortDescription(name, reading, max, wordSetOf(known))
}

describe('shortDescription', () => {
  it.each([
    ['project_id', 'The project ID'],
    ['projectName', 'Name of the project.'],
    ['issues', 'The issue'],
    ['x', ''],
    ['x', ' \n '],
  ])('omits a description that is empty or only repeats the name %s: %j', (name, description) => {
    expect(shorten(name, description)).toBeUndefined()
  })

  it.each([
    ['customer', 'The ID of the customer', undefined],
    ['name', 'The index to search', 'search index'],
    ['q', 'Query', 'query'],
    ['id', '识别', undefined],
  ])('keeps a description that adds something to the name %s: %s', (name, description, known) => {
    expect(shorten(name, description, { known: known ?? '' })).toBe(description)
  })

  it('omits a description that only repeats the names of the field and of the tool', () => {
    expect(shorten('cardId', 'ID of the card to attach the file to', { known: 'attach_file_to_card' })).toBeUndefined()
  })

  it('drops the words `required` and `optional`, and a default that is shown with the type', () => {
    expect(shorten('limit', 'Optional. Page size (default: 20)', { defaultValue: 20 })).toBe('Page size')
    expect(shorten('limit', 'Page size. Defaults to "all".', { defaultValue: 'all' })).toBe('Page size')
    expect(shorten('limit', '(required) Page size')).toBe('Page size')
    expect(shorten('limit', 'Page size (default: 20)')).toBe('Page size (default: 20)')
  })

  it('cuts a long description after a sentence and marks the cut', () => {
    expect(shorten('path', 'Where the file is. It must exist and must be readable by all', { max: 40 })).toBe(
      'Where the file is.…',
    )
  })

  it('reads only the start of a very long description', () => {
    const startedAt = performance.now()
    expect(shorten('path', 'word '.repeat(1e6))?.length).toBeLessThanOrEqual(100)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })
})
