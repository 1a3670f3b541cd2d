import { describe, expect, it } from 'vitest'
import { paramHeaders } from './conversation.ts'

describe('arguments as headers', () => {
  it.each([
    ['plain', 'plain'],
    ['two words', 'two words'],
    [' padded', '=?base64?IHBhZGRlZA==?='],
    ['z\u00fcrich', '=?base64?esO8cmljaA==?='],
    ['a\nb', '=?base64?YQpi?='],
    ['=?base64?eA==?=', '=?base64?PT9iYXNlNjQ/ZUE9PT89?='],
    [true, 'true'],
    [1.5, '1.5'],
  ])('encodes the argument %j as the header %s', (value, header) => {
    expect(paramHeaders({ properties: { v: { 'x-mcp-header': 'V' } } }, { v: value })).toEqual({
      'Mcp-Param-V': header,
    })
  })

  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      plain: { type: 'string' },
      deep: { type: 'object', properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
      bad: { type: 'string', 'x-mcp-header': 'not a token' },
    },
  }

  it('makes headers of the arguments that the schema marks, at any depth', () => {
    expect(paramHeaders(schema, { region: 'eu', plain: 'x', deep: { count: 3 }, bad: 'x' })).toEqual({
      'Mcp-Param-Region': 'eu',
      'Mcp-Param-Count': '3',
    })
    for (const none of [{}, { region: null }, { region: {} }, undefined, 'text'])
      expect(paramHeaders(schema, none)).toEqual({})
  })
})
