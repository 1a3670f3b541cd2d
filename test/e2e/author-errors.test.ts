// The output that the author of a server gets when a mistake ends the program.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const library = new URL('../../dist/lib/index.js', import.meta.url).href
const cwd = fileURLToPath(new URL('../..', import.meta.url))

it('an uncaught error about a wrong option prints only a short line of code before its message', () => {
  const code = `import { createMcpServer } from '${library}'
createMcpServer({ name: 'x', version: '1.0.0', commands: [], toolStrategy: 'lazi' })`
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd, encoding: 'utf8' })
  expect(status).toBe(1)
  const [before = '', after] = stderr.split("ToolcribError: No tool strategy named 'lazi'")
  expect(after).toBeDefined()
  expect(before).toContain('throw ')
  expect(before.length).toBeLessThan(500)
})

it('an uncaught error about a port in use names the option, and prints only a short line of code before its message', () => {
  const code = `import { createServer } from 'node:http'
import { createMcpServer } from '${library}'
const other = createServer().listen(0, '127.0.0.1')
await new Promise((resolve) => other.once('listening', resolve))
await createMcpServer({ name: 'x', version: '1.0.0', commands: [], transport: 'http', port: other.address().port }).start()`
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd, encoding: 'utf8' })
  expect(status).toBe(1)
  const [before = '', after = ''] = stderr.split('is in use by another program. ')
  expect(after).toContain('Set the option `port` to another port; 0 takes any free one.\n')
  expect(after).not.toContain('--port')
  expect(before.length).toBeLessThan(500)
})
