import { expect, it } from 'vitest'
import { createOutput } from '../../output/output.ts'
import { readTerminal } from '../../output/terminal.ts'
import { parameterLines, toolLines } from './tool-lines.ts'

const output = createOutput({}, readTerminal(process, { NO_COLOR: '1' }))
const { paint } = output
const linesOf = (properties: object) => parameterLines({ type: 'object', properties }, 80, paint)

it.each([
  [{ type: 'string', minLength: 1 }, 'at least 1 character'],
  [{ type: 'string', minLength: 2 }, 'at least 2 characters'],
  [{ type: 'string', minLength: 1, maxLength: 1 }, '1 character'],
  [{ type: 'string', minLength: 1, maxLength: 9 }, '1 to 9 characters'],
  [{ type: 'array', maxItems: 1 }, 'at most 1 item'],
  [{ type: 'integer', minimum: 1 }, 'at least 1'],
])('the schema %j is shown with the limit %s', (schema, limit) => {
  expect(linesOf({ name: schema })[0]).toBe(`  name (${schema.type}, optional, ${limit})`)
})

it('a tool that its server added after its tools were pinned is marked as new', () => {
  const details = { server: 'notes', tool: 'add', description: 'Add a note.' }
  expect(toolLines({ ...details, change: 'new' }, false, output)[1]).toMatch(/^Note: it is new/)
  expect(toolLines(details, false, output)[1]).toBe('')
})

it('fields with arbitrary names, unknown parameters, and a schema that is not shown as a whole are named', () => {
  const named = { properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } }
  expect(parameterLines({ type: 'object', ...named }, 80, paint)).toContain('  [key] (number, optional)')
  expect(parameterLines({}, 80, paint)).toEqual(['  (the server does not say which parameters the tool takes)'])
  const conditional = { type: 'object', properties: { a: { type: 'string' } }, if: { required: ['a'] } }
  expect(parameterLines(conditional, 80, paint).at(-1)).toContain('--json prints the whole schema')
})
