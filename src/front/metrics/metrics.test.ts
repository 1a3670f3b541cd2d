import { expect, it } from 'vitest'
import { fail } from '../../core/errors.ts'
import { failure, success } from '../../core/result.ts'
import { createToolLabels } from './metrics.ts'

const ok = success(null)

it('gives further tools the label other after the limit, and keeps the labels of the first', () => {
  const labelsOf = createToolLabels(2)
  const tools = ['a', 'b', 'c', 'd', 'a']
  expect(tools.map((tool) => labelsOf({ server: 's', tool, result: ok }).tool)).toEqual([
    'a',
    'b',
    'other',
    'other',
    'a',
  ])
})

it('gives further servers the label other after the limit too', () => {
  const labelsOf = createToolLabels(3)
  for (let at = 0; at < 1_000; at++) labelsOf({ server: `s${at}`, tool: 't', result: ok })
  expect(labelsOf({ server: 's999', tool: 't', result: ok })).toEqual({ server: 'other', tool: 'other', code: 'ok' })
  expect(labelsOf({ server: 's0', tool: 't', result: ok })).toEqual({ server: 's0', tool: 't', code: 'ok' })
})

it('uses the label unknown instead of the name of a tool that does not exist', () => {
  const labelsOf = createToolLabels(10)
  const notFound = fail('TOOL_NOT_FOUND', { name: 'x', server: undefined, similar: [], find: 'search_tools' })
  expect(labelsOf({ server: 'invented', tool: 'secret-in-a-name', result: notFound })).toEqual({
    server: 'unknown',
    tool: 'unknown',
    code: 'TOOL_NOT_FOUND',
  })
})

it('gives a code that is not in the error table the label other', () => {
  const result = failure({ code: 'A_CODE_OF_A_PLUGIN', message: 'x' })
  expect(createToolLabels(10)({ server: 's', tool: 't', result }).code).toBe('other')
})
