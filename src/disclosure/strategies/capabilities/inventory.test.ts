import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadTokenCounter } from '../../../core/tokens.ts'
import { fitCategory, fitInventory, type InventoryCategory } from './inventory.ts'

const count = await loadTokenCounter()

function categoryOf(name: string, size: number, example?: string): InventoryCategory {
  const tools = Array.from({ length: size }, (_, index) => ({
    name: `${name}_tool_${index}`,
    description: 'Does one of the many things that such a tool does, and says so at some length',
    example,
  }))
  return { name, description: `What ${name} is for, told at some length by somebody who likes to`, tools }
}

const within = (categories: readonly InventoryCategory[], budget: number, wanted = budget) =>
  fitInventory(categories, { budget, wanted, count })

describe('fitInventory', () => {
  it('returns the complete inventory if there is room', () => {
    const { categories, note } = within([categoryOf('a', 2, 'Do it')], 1_000)
    expect(categories).toMatchObject([{ name: 'a', tools: [{ example: 'Do it' }, {}] }])
    expect(note).toBeUndefined()
  })

  it('shortens texts before it leaves tools out', () => {
    const long = [categoryOf('a', 10, 'Do it the way it was always done, or else')]
    const { categories, note } = within(long, 1_000, 300)
    expect(count(JSON.stringify(categories))).toBeLessThanOrEqual(300)
    expect(JSON.stringify(categories).match(/a_tool_/g)).toHaveLength(10)
    expect(note).toBeUndefined()
  })

  it('folds the largest categories first, and categories of the same size together', () => {
    const { categories, note } = within([categoryOf('a', 20), categoryOf('b', 2), categoryOf('c', 20)], 300)
    expect(categories).toMatchObject([{ name: 'a', toolCount: 20 }, { name: 'b', tools: [{}, {}] }, { toolCount: 20 }])
    expect(note).toContain('pass category')
  })

  it('shows only names and counts of the largest categories if even the folded ones are too many', () => {
    const many = Array.from({ length: 200 }, (_, index) => categoryOf(`category${index}`, Math.ceil((index + 1) / 10)))
    const { categories, note } = within(many, 400)
    expect(categories.at(-1)).toEqual({ name: 'category199', toolCount: 20 })
    expect(note).toContain(`${200 - categories.length} smaller categories`)
  })

  it('never costs more than its budget', () => {
    const sizes = fc.array(fc.nat({ max: 30 }), { maxLength: 40 })
    fc.assert(
      fc.property(sizes, fc.integer({ min: 100, max: 2_000 }), (given, budget) => {
        const { categories, note } = within(
          given.map((size, index) => categoryOf(`c${index}`, size)),
          budget,
        )
        expect(count(JSON.stringify(categories)) + count(note ?? '')).toBeLessThanOrEqual(budget)
      }),
      { numRuns: 60 },
    )
  })
})

describe('fitCategory', () => {
  it('keeps all names of a category even if they exceed the budget', () => {
    const { tools } = fitCategory(categoryOf('a', 100), { budget: 100, wanted: 100, count })
    expect(tools).toHaveLength(100)
    expect(tools[99]).toEqual({ name: 'a_tool_99', description: '' })
  })
})
