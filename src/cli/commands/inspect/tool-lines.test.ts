import { expect, it } from 'vitest'
import { createOutput } from '../../output/output.ts'
import { readTerminal } from '../../output/terminal.ts'
import { parameterLines } from './tool-lines.ts'

const { paint } = createOutput({}, readTerminal(process, { NO_COLOR: '1' }))
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
