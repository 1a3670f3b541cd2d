import { expect, it } from 'vitest'
import { fail } from '../../core/errors.ts'
import { failure, success } from '../../core/result.ts'
import { createToolLabels } from './metrics.ts'

const ok = success(null)

it('labels tools beyond the limit as `other`, and keeps the labels of the tools before them', () => {
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

it('labels servers beyond the limit as `other` too', () => {
  const labelsOf = createToolLabels(3)
  for (let at = 0; at < 1_000; at++) labelsOf({ server: `s${at}`, tool: 't', result: ok })
  expect(labelsOf({ server: 's999', tool: 't', result: ok })).toEqual({ server: 'other', tool: 'other', code: 'ok' })
  expect(labelsOf({ server: 's0', tool: 't', result: ok })).toEqual({ server: 's0', tool: 't', code: 'ok' })
})

it('labels a tool that does not exist as `unknown`, without its name', () => {
  const labelsOf = createToolLabels(10)
  const notFound = fail('TOOL_NOT_FOUND', { name: 'x', server: undefined, similar: [], find: 'search_tools' })
  expect(labelsOf({ server: 'invented', tool: 'secret-in-a-name', result: notFound })).toEqual({
    server: 'unknown',
    tool: 'unknown',
    code: 'TOOL_NOT_FOUND',
  })
})

it('labels a code that is not in the error table as `other`', () => {
  const result = failure({ code: 'A_CODE_OF_A_PLUGIN', message: 'x' })
  expect(createToolLabels(10)({ server: 's', tool: 't', result }).code).toBe('other')
})
