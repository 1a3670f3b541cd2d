import { expect, it } from 'vitest'
import { refusal } from './refusal.ts'

it('a refusal is a JSON-RPC error with the code and the suggestion', async () => {
  const response = refusal(404, 'SESSION_NOT_FOUND', {})
  expect(response.status).toBe(404)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await response.json()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: {
      code: -32001,
      message: 'The session is unknown or has ended',
      data: { code: 'SESSION_NOT_FOUND', suggestion: 'Send an initialize request to start a new one.' },
    },
  })
})

it('a refusal can have further headers', () => {
  const response = refusal(401, 'UNAUTHORIZED', {}, { 'www-authenticate': 'Bearer' })
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
})
