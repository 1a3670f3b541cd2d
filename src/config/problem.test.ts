import { describe, expect, it } from 'vitest'
import { pathText, problemAt, renderProblem, shapeOf } from './problem.ts'

describe('renderProblem', () => {
  const location = { file: 'config.yaml', path: ['discovery', 'servers', 2, 'connection', 'command'] }

  it('renders a problem as one line with the file, the path in it, the expected and the found value', () => {
    const problem = problemAt(location, { expected: 'a string', found: 'a number' })
    expect(renderProblem(problem)).toBe(
      'error: config.yaml discovery.servers[2].connection.command: Expected a string, found a number',
    )
    expect(problem).toMatchObject({ severity: 'error', expected: 'a string', found: 'a number' })
  })

  it('renders line and column of a syntax error', () => {
    const problem = problemAt({ file: 'a.json', path: [] }, { expected: 'valid JSON', found: 'x', line: 3, column: 7 })
    expect(renderProblem(problem)).toBe('error: a.json:3:7: Expected valid JSON, found x')
  })

  it('renders a problem on one line, even if its names contain control characters', () => {
    const problem = problemAt(
      { file: 'a\nb.json', path: ['x\u001b[31m', 'y\r\n'] },
      { severity: 'info', expected: 'a', found: 'b', message: 'c\nd' },
    )
    expect(renderProblem(problem)).not.toMatch(/\p{Cc}/u)
  })
})

it.each([
  [[], ''],
  [['a', 'b-c', 0, 'd_e'], 'a.b-c[0].d_e'],
  [['mcpServers', 'my.server', 'env'], 'mcpServers["my.server"].env'],
  [['', 'a b'], '[""]["a b"]'],
])('pathText(%j) is %s', (path, text) => {
  expect(pathText(path)).toBe(text)
})

it.each([
  [undefined, 'nothing'],
  [null, 'null'],
  ['', 'an empty string'],
  ['secret', 'a string'],
  [12, 'a number'],
  [true, 'a boolean'],
  [[], 'an empty list'],
  [['secret'], 'a list of 1 item'],
  [['secret', 'other'], 'a list of 2 items'],
  [{ secret: 1 }, 'an object'],
])('shapeOf(%j) is %s', (value, shape) => {
  expect(shapeOf(value)).toBe(shape)
})
