// The server of the Windows checks: its tools return its arguments, one environment variable and its folder.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** `--stay` ignores the end of stdin. `--family` starts a second process of this file behind a cmd.exe, as npx does. */
const args = process.argv.slice(2)
/** The folder in which both processes record their ids. */
const { PIDS } = process.env
// The name contains the time, because the system can use an id again.
if (PIDS !== undefined) writeFileSync(join(PIDS, `${Date.now()}-${process.pid}`), args.join(' '))
if (args.includes('--grandchild')) setInterval(() => {}, 1_000)
else serve()

function serve() {
  if (args.includes('--family')) {
    const line = `""${process.execPath}" "${fileURLToPath(import.meta.url)}" --grandchild"`
    spawn('cmd.exe', ['/d', '/s', '/c', line], { stdio: 'ignore', windowsVerbatimArguments: true })
  }
  if (args.includes('--stay')) setInterval(() => {}, 1_000)
  const tools = ['argv', 'env', 'cwd'].map((name) => ({
    name,
    description: `Returns its ${name}.`,
    inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
  }))
  const calls = {
    argv: () => args,
    cwd: () => process.cwd(),
    // Returns all spellings, because a Windows process may have got two of them.
    env: ({ name }) => Object.entries(process.env).filter(([key]) => key.toLowerCase() === name.toLowerCase()),
  }
  const methods = {
    initialize: () => ({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'windows', version: '1.0.0' },
    }),
    'tools/list': () => ({ tools }),
    'tools/call': ({ name, arguments: given }) => ({
      content: [{ type: 'text', text: JSON.stringify(calls[name](given ?? {})) }],
    }),
  }
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const { id, method, params } = JSON.parse(line)
      if (id === undefined) return
      const answer =
        methods[method] === undefined
          ? { error: { code: -32_601, message: `No method ${method}` } }
          : { result: methods[method](params) }
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
    })
    .on('close', () => {
      if (!args.includes('--stay')) process.exit(0)
    })
}
