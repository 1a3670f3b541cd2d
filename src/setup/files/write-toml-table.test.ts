import { describe, expect, it } from 'vitest'
import { setInTable } from './write-toml-table.ts'

const path = ['mcp_servers', 'toolcrib']
const values = { command: 'npx', args: ['-y', 'toolcrib', 'serve'] }

describe('setInTable', () => {
  it('keeps comments, other keys and nested tables', async () => {
    const table = `[mcp_servers.toolcrib] # ours
  command = "node"
"args" = [
  "old.js", # where it was
  "serve",
]
startup_timeout_sec = 20 # it is slow

[mcp_servers.toolcrib.env]
command = "not this one"
`
    expect(await setInTable(table, path, values)).toBe(`[mcp_servers.toolcrib] # ours
  command = "npx"
args = ["-y","toolcrib","serve"]
startup_timeout_sec = 20 # it is slow

[mcp_servers.toolcrib.env]
command = "not this one"
`)
  })

  it('adds missing keys, removes keys with the value undefined, and keeps the line endings', async () => {
    const table = '[mcp_servers.toolcrib]\r\ncommand = "node"\r\nurl = "x"\r\n'
    expect(await setInTable(table, path, { ...values, url: undefined })).toBe(
      '[mcp_servers.toolcrib]\r\nargs = ["-y","toolcrib","serve"]\r\ncommand = "npx"\r\n',
    )
  })

  it('returns undefined if the table has another notation or a syntax error', async () => {
    expect(await setInTable('[mcp_servers]\ntoolcrib.command = "node"\n', path, values)).toBeUndefined()
    expect(await setInTable('[mcp_servers.toolcrib\n', path, values)).toBeUndefined()
  })
})
