import { expect, it } from 'vitest'
import { readToolWords } from './tool-words.ts'

const servers = ['github', 'a', 'a:b']

it.each([
  [['github', 'create'], { server: 'github', tool: 'create', rest: [] }],
  [['github:create'], { server: 'github', tool: 'create', rest: [] }],
  [['github:create', 'a=1', 'b=2'], { server: 'github', tool: 'create', rest: ['a=1', 'b=2'] }],
  [['github', 'create', 'a=1'], { server: 'github', tool: 'create', rest: ['a=1'] }],
  [['github', 'github:create'], { server: 'github', tool: 'create', rest: [] }],
  [['a:b', 'c'], { server: 'a:b', tool: 'c', rest: [] }],
  [['a:b:c'], { server: 'a:b', tool: 'c', rest: [] }],
  [['nowhere:x'], { server: 'nowhere', tool: 'x', rest: [] }],
  [['nowhere', 'x'], { server: 'nowhere', tool: 'x', rest: [] }],
  [['create'], { server: undefined, tool: 'create', rest: [] }],
  [['create', 'a=1'], { server: undefined, tool: 'create', rest: ['a=1'] }],
])('reads %j as a server, a tool and the remaining words', (words, expected) => {
  expect(readToolWords(words, servers, 'execute')).toEqual(expected)
})

it('refuses words that name only a server, and asks for a tool', () => {
  expect(() => readToolWords(['github'], servers, 'inspect')).toThrow("Name a tool of 'github'")
})

it.each([
  [['', 'create'], 'The name of the server is empty'],
  [['github', ''], 'The name of the tool is empty'],
  [[''], 'The name of the tool is empty'],
])('refuses %j and says which name is empty', (words, reason) => {
  expect(() => readToolWords(words, servers, 'inspect')).toThrow(reason)
})
