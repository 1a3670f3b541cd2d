// Hints after a command: they keep --config, and name the command that the user probably meant.

import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { connect, covers, createHome, main, run, serverScript } from './harness.ts'

const home = createHome()
afterAll(() => home.remove())

const memory = { command: process.execPath, args: [serverScript('memory')] }
const servers = { memory, broken: { command: 'no-such-program' } }

describe('the option --config', () => {
  home.write('project/my other.json', { discovery: { servers } })
  const flags = ['--config', 'my other.json']
  const kept = "--config 'my other.json'"

  it.each([
    [['status'], `Next: toolcrib doctor ${kept}\n`],
    [['search', 'zzzqqq'], `\`toolcrib doctor ${kept}\` shows why`],
    [['execute', 'broken', 'read'], `\`toolcrib doctor broken ${kept}\``],
    [['execute', 'memory', 'read_grph'], `\`toolcrib tools memory ${kept}\``],
    [['tools', 'memry'], `\`toolcrib list ${kept}\``],
    [['inspect', 'memory'], `\`toolcrib tools memory ${kept}\``],
    [['token', 'list'], `toolcrib token add <name> ${kept}`],
    [['logs', 'memory'], 'There is no log yet'],
    [['add', 'more', '--no-check', '--yes', ...flags, '--', 'no-such-program'], `\`toolcrib doctor more ${kept}\``],
  ])('%j keeps --config in the command that it suggests', async (words, expected) => {
    const all = words.includes('--') ? words : [...words, ...flags]
    const { stdout, stderr } = await run(home, all)
    expect(stdout + stderr).toContain(expected)
  })

  it('--json has the suggestion with --config', async () => {
    const { stdout } = await run(home, ['tools', 'memry', '--json', ...flags])
    expect(JSON.parse(stdout).error.suggestion).toBe(
      `Did you mean 'memory'? Use \`toolcrib list ${kept}\` to list the servers.`,
    )
    const status = JSON.parse((await run(home, ['status', '--json', ...flags])).stdout)
    expect(status.next.command).toContain(kept)
  })

  it('without --config the suggestion has none', async () => {
    const { stderr } = await run(home, ['tools', 'memory'])
    expect(stderr).not.toContain('--config')
  })
})

describe('the command of a server', () => {
  it.each([
    [['wrap', 'npx', '-y', 'foo'], '`toolcrib wrap -- npx -y foo`'],
    [['add', 'foo', 'npx', '-z', 'bar baz'], "`toolcrib add foo -- npx -z 'bar baz'`"],
  ])('%j names the command line with --', async (words, expected) => {
    const { code, stderr } = await run(home, words)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Error: Unknown option '-[yz]'\.\n/)
    expect(stderr).toContain(`Next:  Write the command of the server after --: ${expected}.`)
  })

  it.each([
    [['wrap', '--strateg', 'lazy', 'npx', 'foo']],
    [['wrap', '--bogus', '--', 'npx', 'foo']],
    [['list', 'x', '-z']],
  ])('%j, a wrong option of toolcrib, names the help', async (words) => {
    expect((await run(home, words)).stderr).toContain(`\`toolcrib ${words[0]} --help\``)
  })
})

describe('execute', () => {
  it.each([
    ['cannot be started', 'broken'],
    ['does not exist', 'none'],
  ])('the first line of execute names the tool if its server %s', async (_, server) => {
    covers('CLI-EXECUTE')
    const file = home.write('servers.json', { discovery: { servers } })
    for (const words of [[server, 'read'], [`${server}:read`]]) {
      const { stdout, code } = await run(home, ['execute', ...words, '--config', file])
      expect(code).not.toBe(0)
      expect(stdout).toBe(`Executing: ${server}:read\n\n`)
      expect((await run(home, ['execute', ...words, '--config', file, '--quiet'])).stdout).toBe('')
    }
  })
})

it('stats says that no client has listed tools if a client has only called them', async () => {
  covers('CLI-STATS')
  const other = createHome()
  onTestFinished(() => other.remove())
  other.write('.config/toolcrib/config.json', { discovery: { servers: { memory } } })
  const client = await connect(other, { command: process.execPath, args: [main, 'serve'] })
  await client.callTool({ name: 'execute_tool', arguments: { tool: 'memory:read_graph', arguments: {} } })
  await client.close()
  const { stdout } = await run(other, ['stats'])
  expect(stdout).toMatch(/^Stats \(0 sessions, 1 call\):/)
  expect(stdout).toContain('No client has listed the tools of a gateway yet. Run `toolcrib install`')
})

it('token list shows the time of an expiry within two days, and only the date of a later one', async () => {
  await run(home, ['token', 'add', 'ada', '--expires', '12h'])
  await run(home, ['token', 'add', 'bob', '--expires', '90d'])
  const { stdout } = await run(home, ['token', 'list'])
  expect(stdout).toMatch(/^ada .* \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m)
  expect(stdout).toMatch(/^bob .* \d{4}-\d\d-\d\d$/m)
})

it('import says under which name a server would be imported if the config in force does not serve it', async () => {
  const files = (folder: string) => ({ mcpServers: { files: { command: 'no-such-program', args: [folder] } } })
  home.write('.cursor/mcp.json', files('/one'))
  home.write('.codeium/windsurf/mcp_config.json', files('/two'))
  const note = 'files-windsurf: files of windsurf (~/.codeium/windsurf/mcp_config.json), because'
  expect((await run(home, ['import'])).stdout).toContain(`Served as ${note}`)
  const file = home.write('none.json', { discovery: { servers: { memory } } })
  const { stdout } = await run(home, ['import', '--config', file])
  expect(stdout).toContain(`Imported with --write as ${note}`)
  expect(stdout).not.toContain('Served as')
})
