import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServerConfig } from '../config/server-config.ts'
import { ToolcribError } from '../core/errors.ts'
import { approveWritten } from './config-plan.ts'
import type { SetupJob } from './environment.ts'
import { planAddition, planEdit } from './plan-server.ts'
import { setupJobIn } from './setup-job.fixture.ts'

let home: string
let job: SetupJob

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'toolcrib-plan-server-'))
  mkdirSync(join(home, 'project'))
  job = setupJobIn(home, join(home, 'project'))
})
afterEach(() => rmSync(home, { recursive: true }))

function write(path: string, content: string | object): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const configOf = (servers: object) => ({ discovery: { servers } })
const server = (name: string): ServerConfig => ({
  name,
  enabled: true,
  connection: { type: 'stdio', command: name, args: [], env: {} },
  origin: { source: 'config', file: '' },
})

/** The message and the suggestion of the error. */
async function refusal(planning: Promise<unknown>): Promise<string> {
  const error = await planning.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof ToolcribError ? error.message.replaceAll(home, '~') : String(error)
}

describe('planAddition', () => {
  it('refuses to add a server with a name that the config has, even if discovery is switched off', async () => {
    write('config/config.json', { discovery: { enabled: false, servers: { a: { command: 'x' } } } })
    const expected =
      "~/config/config.json was not changed: it already has a server named 'a'. Run `toolcrib remove a` first, or choose another name."
    expect(await refusal(planAddition(job, server('a'), 'user'))).toBe(expected)
  })

  it('refuses to add a server with a name that a client has, because the server of the client would be renamed', async () => {
    write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' } } })
    const expected =
      "~/config/config.json was not changed: a server named 'a' is already served, from ~/.cursor/mcp.json. Choose another name."
    expect(await refusal(planAddition(job, server('a'), 'user'))).toBe(expected)
  })

  it('names the config of the user if it has the server to add to the config of the project', async () => {
    write('config/config.json', configOf({ a: { command: 'x' } }))
    const expected =
      "~/project/.toolcrib/config.json was not changed: a server named 'a' is already served, from ~/config/config.json. Choose another name."
    expect(await refusal(planAddition(job, server('a'), 'project'))).toBe(expected)
  })

  it('names the key with the error if the config has one', async () => {
    write('config/config.json', { limits: { callTimeoutMs: 'x' } })
    const error = await refusal(planAddition(job, server('a'), 'user'))
    expect(error).toContain('limits.callTimeoutMs: Expected a number, found a string')
  })

  it('shows the entry to add by hand if the config is code', async () => {
    write('config/config.mjs', 'export default {}')
    expect(await refusal(planAddition(job, server('a'), 'user'))).toContain(
      'Add this to `discovery.servers` by hand: "a": {"command":"a"}',
    )
  })

  it('shows TOML to add by hand if the config is TOML', async () => {
    const config = write('config.toml', '[discovery.servers.b]\ncommand = "b"\n')
    expect(await refusal(planAddition({ ...job, flags: { config } }, server('a'), 'user'))).toContain(
      'Toolcrib does not edit TOML. Add this at the end of the file by hand:\n[discovery.servers.a]\ncommand = "a"',
    )
  })

  it('lists the clients in a new config, so that their servers are still served', async () => {
    write('.cursor/mcp.json', { mcpServers: { b: { command: 'x' } } })
    const { after, isNew } = await planAddition(job, server('a'), 'user')
    expect([isNew, JSON.parse(after)]).toEqual([
      true,
      { discovery: { servers: { a: { command: 'a' } }, sources: [{ type: 'cursor' }] } },
    ])
  })
})

describe('planEdit', () => {
  it('suggests similar names if there is no server with the name to edit', async () => {
    write('config/config.json', configOf({ files: { command: 'x', enabled: false } }))
    expect(await refusal(planEdit(job, 'file', 'remove'))).toContain("Did you mean 'files'?")
  })

  it('edits a config with an error, because the entry to remove may cause the error', async () => {
    write('config/config.json', configOf({ a: { command: 'x' }, b: { comand: 'x' } }))
    const { after } = await planEdit(job, 'b', 'remove')
    expect(JSON.parse(after)).toEqual(configOf({ a: { command: 'x' } }))
  })

  it('names the change to make by hand if the config to edit is code', async () => {
    write('config/config.mjs', `export default ${JSON.stringify(configOf({ a: { command: 'x' } }))}`)
    expect(await refusal(planEdit(job, 'a', 'disable'))).toContain(
      "Toolcrib does not edit code. Add `enabled: false` to the entry of 'a' by hand.",
    )
  })

  it('names the change in TOML if the config to edit is TOML', async () => {
    const config = write('config.toml', '[discovery.servers.a]\ncommand = "a"\n')
    expect(await refusal(planEdit({ ...job, flags: { config } }, 'a', 'disable'))).toContain(
      'Toolcrib does not edit TOML. Set `enabled = false` in the table `[discovery.servers.a]` by hand.',
    )
  })

  it('changes the config of the current folder only if it is approved', async () => {
    const text = JSON.stringify(configOf({ a: { command: 'x' } }))
    const file = write('project/toolcrib.config.json', text)
    expect(await refusal(planEdit(job, 'a', 'disable'))).toContain("No server named 'a'")
    await approveWritten(job, { file, after: text })
    const change = await planEdit(job, 'a', 'disable')
    expect([change.file, change.isOfProject, JSON.parse(change.after)]).toEqual([
      file,
      true,
      configOf({ a: { command: 'x', enabled: false } }),
    ])
  })

  it('copies the server of a client into our config, switched off and with a reference for its secret', async () => {
    write('.cursor/mcp.json', { mcpServers: { a: { command: 'x', env: { A_TOKEN: 'tok-0123456789' } } } })
    const change = await planEdit(job, 'a', 'disable')
    expect(change).toMatchObject({ copiedFrom: 'cursor', secrets: [{ name: 'A_TOKEN', value: 'tok-0123456789' }] })
    expect(JSON.parse(change.after)).toMatchObject({
      discovery: { servers: { a: { enabled: false, command: 'x', env: { A_TOKEN: '$'.concat('{A_TOKEN}') } } } },
    })
    const { before, after } = await planEdit(job, 'a', 'enable')
    expect(after).toBe(before)
  })

  it('advises to disable the server of a client that cannot be removed here, unless that is done already', async () => {
    write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' }, b: { command: 'y', disabled: true } } })
    expect(await refusal(planEdit(job, 'a', 'remove'))).toMatch(/Remove it there, or run `toolcrib disable a` to/)
    expect(await refusal(planEdit(job, 'b', 'remove'))).toMatch(/ Remove it there\.$/)
  })

  it('advises to approve the file of a project again after a server is removed from it by hand', async () => {
    const after = JSON.stringify({ mcpServers: { a: { command: 'x' } } })
    await approveWritten(job, { file: write('project/.mcp.json', after), after })
    expect(await refusal(planEdit(job, 'a', 'remove'))).toMatch(/ Remove it there, then run `toolcrib trust` to/)
  })

  it('copies the server of a client in the home folder too, where a project would have the same file', async () => {
    write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' } } })
    const change = await planEdit(setupJobIn(home), 'a', 'disable')
    expect(JSON.parse(change.after)).toMatchObject({ discovery: { servers: { a: { enabled: false } } } })
  })
})
