import { describe, expect, it } from 'vitest'
import { commandOf } from '../sources/commands/command.fixture.ts'
import { categoriesOf, describeCategory, findCategory, unknownCategory } from './categorize.ts'
import { viewOf } from './view.fixture.ts'

const commands = [commandOf('order-create'), commandOf('order-list'), commandOf('mail-send', { category: 'Post' })]

async function categoriesIn(...args: Parameters<typeof viewOf>): Promise<Record<string, string[]>> {
  const found = categoriesOf(await viewOf(...args))
  return Object.fromEntries(found.map(({ name, tools }) => [name, tools.map((tool) => tool.listedName)]))
}

describe('the categories of a view', () => {
  it('are those that authors state, else the first segment of the name', async () => {
    expect(await categoriesIn(commands)).toEqual({ order: ['order-create', 'order-list'], Post: ['mail-send'] })
  })

  it('are with several servers the server, where nothing is stated', async () => {
    const servers = { hub: [commandOf('issue-list'), commandOf('repo-get', { category: 'Repositories' })] }
    expect(await categoriesIn(commands, { servers })).toEqual({
      commands: ['commands__order-create', 'commands__order-list'],
      Post: ['commands__mail-send'],
      hub: ['hub__issue-list'],
      Repositories: ['hub__repo-get'],
    })
  })

  it('hold only what is visible', async () => {
    expect(await categoriesIn(commands, { unexposed: [commandOf('vault-open')] })).not.toHaveProperty('vault')
  })
})

describe('the description of a category', () => {
  const servers = { hub: [commandOf('issue-list'), commandOf('issue-close')] }
  const described = async (name: string, given: Record<string, string>, about: object = {}) => {
    const view = await viewOf(commands, { servers, about: { hub: about } })
    return describeCategory(findCategory(name, categoriesOf(view)) ?? { name, tools: [] }, view, given)
  }

  it('is the configured one, else what its server says, else what its tools do', async () => {
    const about = { description: 'Code hosting. And more of it.' }
    expect(await described('hub', { hub: 'Our code' }, about)).toBe('Our code')
    expect(await described('hub', {}, about)).toBe('Code hosting')
    expect(await described('hub', {}, { title: 'The Hub' })).toBe('The Hub')
    expect(await described('hub', {})).toBe('List, close: issue')
    expect(await described('Post', {}, about)).toBe('Send: mail')
  })

  it('is not fooled by a category named like something every object has', async () => {
    expect(await described('constructor', {})).toBe('0 tools')
  })
})

describe('a category by name', () => {
  const categories = [{ name: 'Post' }, { name: 'order' }, { name: 'Order' }]

  it('is found whatever its case, unless two differ by nothing else', () => {
    expect(findCategory('post', categories)).toEqual({ name: 'Post' })
    expect(findCategory('Order', categories)).toEqual({ name: 'Order' })
    expect(findCategory('ORDER', categories)).toBeUndefined()
  })

  it('is refused with what there is and what comes nearest', () => {
    const { error } = unknownCategory('pots', ['Post', 'order'])
    expect(error).toMatchObject({ code: 'CATEGORY_NOT_FOUND', details: { similar: ['Post'] } })
    expect(error.suggestion).toBe("Did you mean 'Post'? The categories are 'Post', 'order'.")
    expect(unknownCategory('x', []).error.suggestion).toBe('There are none now.')
  })
})
