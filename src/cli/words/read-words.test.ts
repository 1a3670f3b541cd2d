import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../setup/environment.ts'
import { createProgram, withDefaultCommand } from '../program.ts'
import { OPTIONS, readWords } from './read-words.ts'

/** The operands and flags that the whole program reads from the same words. */
async function commanderReads(words: readonly string[]) {
  const expanded = withDefaultCommand(words, false)
  const program = await createProgram(readEnvironment(), expanded[0])
  let read: { operands: readonly string[]; flags: object } | undefined
  const [command] = program.commands
  command?.action(() => {
    read = { operands: command.args, flags: command.opts() }
  })
  await program.parseAsync(expanded, { from: 'user' })
  return read
}

describe('a plain command line', () => {
  it.each([
    [['list']],
    [['list', '--json', '-q', '--config', 'x.json']],
    [['search', 'create', 'issue']],
    [['search', 'create issue', '--limit', '3', '--server', 'a', '--server', 'b']],
    [['search', '--quiet', 'x', '--json', 'y']],
    [['search', '']],
    [['tools', 'files', '--all', '--tags']],
    [['--json', 'list']],
    [['--config', 'x.json', '-q', 'search', 'a', '--limit', '3']],
  ])('reads the plain command line %j as the whole program reads it', async (words) => {
    const { operands, flags } = readWords(words) ?? {}
    expect({ operands, flags }).toEqual(await commanderReads(words))
  })

  it.each([
    [['inspect', 'a:b']],
    [['toString']],
    [[]],
    [['list', 'extra']],
    [['list', '--status']],
    [['list', '--verbose']],
    [['list', '--help']],
    [['search']],
    [['search', 'x', '--limit']],
    [['search', 'x', '--limit', '-1']],
    [['search', 'x', '--limit=3']],
    [['search', '--', '--x']],
    [['search', '-v', 'x']],
    [['tools']],
    [['tools', 'a', 'b']],
    [['--verbose', 'list']],
    [['--http', 'list']],
  ])('leaves the command line %j to the whole program, because it is not plain', (words) => {
    expect(readWords(words)).toBeUndefined()
  })

  it('accepts only options that the command declares, each with or without a value as declared', async () => {
    for (const [name, options] of Object.entries(OPTIONS)) {
      const [command] = (await createProgram(readEnvironment(), name)).commands
      for (const [option, takesValue] of Object.entries(options)) {
        const declared = command?.options.find(({ long }) => long === `--${option}`)
        expect([name, option, declared?.required]).toEqual([name, option, takesValue])
      }
    }
  })
})
