import { describe, expect, it } from 'vitest'
import { commandOf } from '../sources/commands/command.fixture.ts'
import { categoriesOf, composeDescription, describeCategory, findCategory, unknownCategory } from './categorize.ts'
import { viewOf } from './view.fixture.ts'

const commands = [commandOf('order-create'), commandOf('order-list'), commandOf('mail-send', { category: 'Post' })]

async function categoriesIn(...args: Parameters<typeof viewOf>): Promise<Record<string, string[]>> {
  const found = categoriesOf(await viewOf(...args))
  return Object.fromEntries(found.map(({ name, tools }) => [name, tools.map((tool) => tool.listedName)]))
}

describe('categoriesOf', () => {
  it('uses the declared category, else the first segment of the name', async () => {
    expect(await categoriesIn(commands)).toEqual({ order: ['order-create', 'order-list'], Post: ['mail-send'] })
  })

  it('uses the server as category if there are several servers and no category is declared', async () => {
    const servers = { hub: [commandOf('issue-list'), commandOf('repo-get', { category: 'Repositories' })] }
    expect(await categoriesIn(commands, { servers })).toEqual({
      commands: ['commands__order-create', 'commands__order-list'],
      Post: ['commands__mail-send'],
      hub: ['hub__issue-list'],
      Repositories: ['hub__repo-get'],
    })
  })

  it('puts only visible tools into categories', async () => {
    expect(await categoriesIn(commands, { unexposed: [commandOf('vault-open')] })).not.toHaveProperty('vault')
  })
})

describe('describeCategory', () => {
  const servers = { hub: [commandOf('issue-list'), commandOf('issue-close')] }
  const described = async (name: string, given: Record<string, string>, about: object = {}) => {
    const view = await viewOf(commands, { servers, about: { hub: about } })
    return describeCategory(findCategory(name, categoriesOf(view)) ?? { name, tools: [] }, view, given)
  }

  it('describes a category with the configured text, else the text of its server, else the words of its tools', async () => {
    const about = { description: 'Code hosting. And more of it.' }
    expect(await described('hub', { hub: 'Our code' }, about)).toBe('Our code')
    expect(await described('hub', {}, about)).toBe('Code hosting')
    expect(await described('hub', {}, { title: 'The Hub' })).toBe('The Hub')
    expect(await described('hub', {})).toBe('List, close: issue')
    expect(await described('Post', {}, about)).toBe('Send: mail')
  })

  it('takes no description from an inherited property for a category such as constructor', async () => {
    expect(await described('constructor', {})).toBe('0 tools')
  })
})

describe('findCategory and unknownCategory', () => {
  const categories = [{ name: 'Post' }, { name: 'order' }, { name: 'Order' }]

  it('findCategory ignores letter case, unless two categories differ only in case', () => {
    expect(findCategory('post', categories)).toEqual({ name: 'Post' })
    expect(findCategory('Order', categories)).toEqual({ name: 'Order' })
    expect(findCategory('ORDER', categories)).toBeUndefined()
  })

  it('unknownCategory names similar categories, and the existing ones', () => {
    const { error } = unknownCategory('pots', [{ name: 'Post' }, { name: 'order' }])
    expect(error).toMatchObject({ code: 'CATEGORY_NOT_FOUND', details: { similar: ['Post'] } })
    expect(error.suggestion).toBe("Did you mean 'Post'? The categories are 'Post', 'order'.")
    expect(unknownCategory('x', []).error.suggestion).toBe('There are none now.')
  })
})

describe('composeDescription', () => {
  it('lists the verbs of the tool names, then their nouns', () => {
    expect(composeDescription(['list_issues', 'get_issue', 'create_issue', 'list_labels'])).toBe(
      'List, get, create: issues, labels',
    )
  })

  it('keeps the words of a noun together', () => {
    expect(composeDescription(['list_pull_requests', 'merge_pull_request', 'get_file_contents'])).toBe(
      'List, merge, get: pull requests, file contents',
    )
  })

  it('writes a first word that all names share once, before the colon, if no name has a verb', () => {
    expect(composeDescription(['toggle-logging', 'toggle-updates'])).toBe('Toggle: logging, updates')
    expect(composeDescription(['gzip-file-as-resource'])).toBe('Gzip: file as resource')
    expect(composeDescription(['echo', 'tiny_image'])).toBe('Echo, tiny image')
  })

  it('takes one verb from each name', () => {
    expect(composeDescription(['create_search', 'search_run'])).toBe('Create, search: search, run')
  })

  it('puts the most frequent words first and stops after five', () => {
    const verbs = ['get', 'list', 'create', 'update', 'delete', 'search'].map((verb) => `${verb}_note`)
    expect(composeDescription([...verbs, 'search_note'])).toBe('Search, get, list, create, update, …: note')
  })

  it('gives only nouns for names without verbs, only verbs for names without nouns, and an empty text for other names', () => {
    expect(composeDescription(['analytics'])).toBe('Analytics')
    expect(composeDescription(['search', 'fetch'])).toBe('Search, fetch')
    expect(composeDescription(['7', '名前'])).toBe('')
  })
})
