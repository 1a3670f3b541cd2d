import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { commandOf } from '../../sources/commands/command.fixture.ts'
import { plain, viewOf } from '../view.fixture.ts'
import { strategies } from './builtins.ts'
import { createStrategy } from './create-strategy.ts'

/** A schema with a condition, which the short list of parameters leaves out. */
const input = z.object({ a: z.string().optional() }).meta({ dependentRequired: { a: ['b'] } })

describe('the options of a strategy', () => {
  it('a strategy that defines no options accepts `prefix`, and names it in the error for any other option', () => {
    expect(() => createStrategy('gateway', { core: [] }, { hasContexts: false })).toThrow(
      expect.objectContaining({
        suggestion: "Its only option is 'prefix': correct or leave out the fields that the message names.",
      }),
    )
    expect(createStrategy('gateway', { prefix: 'acme' }, { hasContexts: false }).prefix).toBe('acme')
  })
})

describe('the hint for invalid arguments', () => {
  it.each([...strategies.values()].map((plugin) => [plugin.name, plugin] as const))(
    'the strategy %s names only its own tools in the hint for invalid arguments',
    async (_name, plugin) => {
      const { hints, metaTools } = plugin.create(
        { ...('builtins' in plugin.options.shape && { builtins: false }) },
        plain,
      )
      const [tool] = (await viewOf([commandOf('order-list', { input })])).visible.tools
      const own = metaTools.map(({ listed }) => listed.name)
      const given = typeof hints === 'function' ? hints((await viewOf([])).caller) : hints
      const text = JSON.stringify(tool === undefined ? undefined : given?.invalid(tool))
      const others = ['get_tool_details', 'get_tool_schema', 'search_tools'].filter((name) => !own.includes(name))
      for (const name of others) expect(text ?? '').not.toContain(name)
    },
  )
})
