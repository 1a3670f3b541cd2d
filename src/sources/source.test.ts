import { describe, expect, it } from 'vitest'
import { ToolcribError } from '../core/errors.ts'
import { scriptedSource } from './source.fixture.ts'
import { openSources, type SourcePlugin } from './source.ts'

describe('openSources', () => {
  const pluginOf = (name: string, id = name) => ({ name, open: () => scriptedSource(id, []) })

  it('opens each source, and refuses a name that is used twice', () => {
    expect(openSources([pluginOf('a'), pluginOf('b')], ['c']).map(({ id }) => id)).toEqual(['a', 'b'])
    const message = "Invalid source 'a': another source or server has the same name. Give each source its own name."
    expect(() => openSources([pluginOf('a'), pluginOf('a')])).toThrow(message)
    expect(() => openSources([pluginOf('a')], ['a'])).toThrow(message)
  })

  it.each([
    [
      'threw: boom. Correct the code of the source.',
      () => {
        throw new Error('boom')
      },
    ],
    ['returned no source with an id.', () => undefined],
    ['returned no source with an id.', () => ({})],
  ])('names a source whose `open` %s', (message, open) => {
    const plugin = { name: 'a', open } as unknown as SourcePlugin // plain JavaScript is not checked
    expect(() => openSources([plugin])).toThrow(`Invalid source 'a': its \`open\` ${message}`)
  })

  it('keeps the error of an `open` that throws as the cause, and rethrows an error with a code of this package', () => {
    const thrownBy = (error: unknown): unknown => {
      const open = () => {
        throw error
      }
      try {
        return openSources([{ name: 'a', open }])
      } catch (thrown) {
        return thrown
      }
    }
    const boom = new TypeError('boom')
    const thrown = thrownBy(boom)
    expect(thrown).toBeInstanceOf(ToolcribError)
    expect(thrown).toMatchObject({ code: 'INVALID_OPTIONS', cause: boom })
    const coded = new ToolcribError('INVALID_OPTIONS', {
      code: 'INVALID_OPTIONS',
      message: 'No key',
      suggestion: 'Set KEY.',
    })
    expect(thrownBy(coded)).toBe(coded)
  })

  it('refuses a source that does not use the id that it gets', () => {
    expect(() => openSources([pluginOf('a', 'b')])).toThrow(
      "Invalid source 'a': its `open` returned a source with the id 'b'. Return a source with the `id` that `open` gets.",
    )
  })
})
