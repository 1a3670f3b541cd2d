import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { categoriesOfNames } from './name-categories.ts'

/** `{ category: [names] }`. */
function grouped(names: readonly string[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {}
  for (const [name, category] of categoriesOfNames(names)) groups[category] = [...(groups[category] ?? []), name]
  return groups
}

describe('categories from names', () => {
  it('skips a leading verb, and joins the plural and the singular', () => {
    expect(grouped(['create_issue', 'list_issues', 'get_repo', 'delete_repo'])).toEqual({
      issue: ['create_issue', 'list_issues'],
      repo: ['delete_repo', 'get_repo'],
    })
  })

  it('skips a prefix that all tools share', () => {
    expect(grouped(['tana_search', 'tana_search_tags', 'tana_create_node', 'tana_move_node'])).toEqual({
      search: ['tana_search', 'tana_search_tags'],
      node: ['tana_create_node', 'tana_move_node'],
    })
  })

  it('uses the shared prefix as the category if nothing else distinguishes the tools, or `general` without one', () => {
    expect(grouped(['note_add', 'note_list'])).toEqual({ note: ['note_add', 'note_list'] })
    expect(grouped(['echo', 'ping'])).toEqual({ general: ['echo', 'ping'] })
  })

  it('splits camelCase, kebab-case, snake_case and dotted names alike', () => {
    for (const join of [
      (...words: string[]) => words.join('_'),
      (...words: string[]) => words.join('-'),
      (...words: string[]) => words.join('.'),
      (first: string, ...words: string[]) =>
        first + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join(''),
    ]) {
      const names = [
        join('list', 'pull', 'requests'),
        join('merge', 'pull', 'request'),
        join('get', 'file'),
        join('put', 'file'),
      ]
      const categories = categoriesOfNames(names)
      expect(names.map((name) => categories.get(name))).toEqual(['pull_request', 'pull_request', 'file', 'file'])
    }
  })

  it('uses the nouns at the start of a name as its category, including the name of a product', () => {
    const names = [
      'backup-list',
      'backup-create',
      'domain_list',
      'domain_check',
      'github-repo-list',
      'github-repo-link',
    ]
    expect(Object.keys(grouped(names)).sort()).toEqual(['backup', 'domain', 'github_repo'])
  })

  it('moves a tool that is alone in its category to a category named by another of its words', () => {
    expect(grouped(['create_issue', 'list_issues', 'add_comment_to_issue', 'lock_issue'])).toEqual({
      issue: expect.arrayContaining(['add_comment_to_issue', 'lock_issue']),
    })
  })

  it('joins tools that share only a verb, and puts tools that share nothing into the general category', () => {
    expect(grouped(['get_card', 'list_cards', 'verify_text', 'verify_value', 'echo', 'get_env'])).toEqual({
      card: ['get_card', 'list_cards'],
      verify: ['verify_text', 'verify_value'],
      general: ['echo', 'get_env'],
    })
  })

  it('gives a tool a category of its own if it is the only one that shares no word with others', () => {
    expect(grouped(['get_card', 'list_cards', 'check_version'])).toEqual({
      card: ['get_card', 'list_cards'],
      version: ['check_version'],
    })
  })

  it('limits the number of categories to 12 if the small ones hold few tools', () => {
    const large = Array.from({ length: 11 }, (_, at) =>
      ['create', 'list', 'get', 'update', 'delete'].map((verb) => `${verb}_kind${at}x`),
    )
    const small = Array.from({ length: 5 }, (_, at) => ['create', 'list'].map((verb) => `${verb}_rare${at}x`))
    const groups = grouped([...large.flat(), ...small.flat()])
    expect(Object.keys(groups)).toHaveLength(12)
    expect(groups.general).toHaveLength(10)
  })

  it('splits a category with a large share of all tools by the next word', () => {
    const names = ['doc', 'sheet', 'slide'].flatMap((kind) =>
      ['create', 'list', 'get', 'update', 'delete', 'copy', 'move'].map((verb) => `${verb}_google_${kind}`),
    )
    expect(Object.keys(grouped([...names, 'get_file', 'list_files'])).sort()).toEqual([
      'file',
      'google_doc',
      'google_sheet',
      'google_slide',
    ])
  })

  it('gives every tool one category, and the same categories for the same names in any order', () => {
    const word = fc.constantFrom('get', 'list', 'create', 'issue', 'issues', 'pull', 'request', 'my', 'or', 'v2', '')
    const name = fc.array(word, { maxLength: 5 }).map((words) => words.join('_'))
    fc.assert(
      fc.property(
        fc
          .uniqueArray(name, { maxLength: 40 })
          .chain((names) => fc.tuple(fc.constant(names), fc.shuffledSubarray(names, { minLength: names.length }))),
        ([names, shuffled]) => {
          const categories = categoriesOfNames(names)
          expect([...categories.keys()].sort()).toEqual(names.toSorted())
          for (const category of categories.values()) expect(category).not.toBe('')
          expect(categoriesOfNames(shuffled)).toEqual(categories)
        },
      ),
    )
  })
})
