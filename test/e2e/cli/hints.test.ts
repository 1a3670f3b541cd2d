// Hints after a command: they keep --config, and name the command that the user probably meant.

import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { connect, covers, createHome, main, printed, run, serverScript, start, stopped } from './harness.ts'

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
    [['install'], `\`toolcrib install CLIENT --dry-run ${kept}\``],
    [['uninstall'], 'No client has the gateway.'],
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
  const advice = 'Write -- before the command of the server, and the options of toolcrib before --'

  it.each([
    [['wrap', 'npx', '-y', 'foo'], "Unknown option '-y'", '`toolcrib wrap -- npx ...`'],
    [['wrap', '--http', 'npx', '-y', 'foo'], "Unknown option '-y'", '`toolcrib wrap -- npx ...`'],
    [['wrap', 'npx', '-y', 'foo', '--http', '--port', '1'], "Unknown option '-y'", '`toolcrib wrap -- npx ...`'],
    [['add', 'my foo', 'my npx', '-z', 'bar'], "Unknown option '-z'", "`toolcrib add 'my foo' -- 'my npx' ...`"],
    [['add', 'foo', 'npx', '-y', 'bar'], "'npx' is not an address", '`toolcrib add foo -- npx ...`'],
    [['add', 'foo', 'npx'], "'npx' is not an address", '`toolcrib add foo -- npx ...`'],
  ])('%j gets the advice to write -- before the command of the server', async (words, reason, expected) => {
    const { code, stderr } = await run(home, words)
    expect(code).toBe(1)
    expect(stderr).toContain(`Error: ${reason}`)
    expect(stderr).toContain(`Next:  ${advice}: ${expected}.\n`)
  })

  it.each([
    [['wrap', '--strateg', 'lazy', 'npx', 'foo']],
    [['wrap', '--bogus', '--', 'npx', 'foo']],
    [['wrap', 'npx', 'foo', '--strateg', 'lazy']],
    [['add', 'x', 'https://a.example/mcp', '--heade', 'A: b']],
    [['add', 'x', 'https://a.example/mcp', '--bogus']],
    [['add', 'x', 'a.example/mcp']],
    [['list', 'x', '-z']],
  ])('%j, without a command or with a mistyped option of toolcrib, names the help', async (words) => {
    const { stderr } = await run(home, words)
    expect(stderr).toContain(`\`toolcrib ${words[0]} --help\``)
    expect(stderr).not.toContain(advice)
  })

  it.each([
    [['add', 'x', 'https://a.example/mcp', '--heade', 'Authorization: hunter2']],
    [['add', 'x', 'https://a.example/mcp', '--heade=Authorization: hunter2']],
    [['add', 'x', 'npx', '-z', '--env', 'TOKEN=hunter2']],
    [['wrap', 'npx', '-y', 'foo', '--token=hunter2']],
  ])('the error of %j does not repeat the value of an option', async (words) => {
    const { code, stdout, stderr } = await run(home, [...words, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).error.message).toContain('Unknown option')
    expect(stdout + stderr).not.toContain('hunter2')
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
  expect(stdout).toContain('No client has listed the tools of these servers yet. Run `toolcrib install`')
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
  expect(stdout).toContain(`With --write, imported as ${note}`)
  expect(stdout).not.toContain('Served as')
})

it('a command that suggests another one quotes the name of a server with a space', async () => {
  const file = home.write('spaced.json', { discovery: { servers: { 'my srv': { command: 'no-such-program' } } } })
  const ran = async (...words: readonly string[]) => {
    const { stdout, stderr } = await run(home, [...words, '--config', file])
    return stdout + stderr
  }
  const kept = '--config ~/spaced.json'
  expect(await ran('execute', 'my srv', 'read')).toContain(`\`toolcrib doctor 'my srv' ${kept}\``)
  expect(await ran('status')).toContain(`Next: toolcrib doctor 'my srv' ${kept}\n`)
  const record = { time: '2026-01-31T09:30:00.000Z', pid: 1, source: 'gateway', text: 'stopped' }
  home.write('.local/state/toolcrib/gateway.jsonl', `${JSON.stringify(record)}\n`)
  expect(await ran('logs', 'my srv')).toContain(`\`toolcrib doctor 'my srv' ${kept}\``)
})

describe('setup commands with --config', () => {
  const ours = createHome()
  afterAll(() => ours.remove())
  const kept = '--config ~/new.json'
  const flags = ['--config', `${ours.folder}/new.json`]

  it('import names --config in the command that imports the servers of the other clients', async () => {
    ours.write('.cursor/mcp.json', { mcpServers: { graph: memory } })
    ours.write('.codeium/windsurf/mcp_config.json', { mcpServers: { files: { command: 'no-such-program' } } })
    const { stdout } = await run(ours, ['import', '--from', 'cursor', '--dry-run', ...flags])
    expect(stdout).toContain(`\`toolcrib import --write ${kept}\` without --from`)
  })

  it('install without a client names --config in the command that shows the change', async () => {
    const { stdout } = await run(ours, ['install', ...flags])
    expect(stdout).toMatch(/Next: `toolcrib install [a-z-]+ --dry-run --config ~\/new\.json` shows/)
  })
})

describe('a gateway over HTTP', () => {
  const ours = createHome()
  afterAll(() => ours.remove())

  it('the text of serve --http keeps --config in the commands that it names', async () => {
    const file = ours.write('served.json', { discovery: { servers: {} } })
    await run(ours, ['token', 'add', 'ada', '--config', file])
    const gateway = start(ours, ['serve', '--http', '--port', '0', '--config', file])
    const text = await printed(gateway, 'No server is configured')
    await stopped(gateway, 'SIGTERM')
    expect(text).toContain('A token for ada: made with `toolcrib token add --config ~/served.json`\n')
    expect(text).toContain('`toolcrib add --config ~/served.json`')
  })

  it('without servers, status leads to the page of the running gateway, which can serve the examples', async () => {
    const empty = createHome()
    onTestFinished(() => empty.remove())
    const demo = start(empty, ['serve', '--http', '--demo', '--port', '0'])
    await printed(demo, '/mcp\n')
    const { stdout } = await run(empty, ['status'])
    await stopped(demo, 'SIGTERM')
    expect(stdout).toContain('Next: toolcrib inspector\n')
  })

  it('wrap --http names the gateway of this user that has the address, with its process', async () => {
    ours.write('.config/toolcrib/config.json', { discovery: { servers: {} } })
    const gateway = start(ours, ['serve', '--http', '--port', '0'])
    const [, port = ''] = /Listening on http:\/\/\S+:(\d+)\/mcp/.exec(await printed(gateway, '/mcp\n')) ?? []
    const { command, args } = memory
    const { code, stderr } = await run(ours, ['wrap', '--http', '--port', port, '--', command, ...args])
    await stopped(gateway, 'SIGTERM')
    expect(code).toBe(3)
    expect(stderr).toContain(`:${port} is in use by your gateway at `)
    expect(stderr).toContain(`(process ${gateway.pid})`)
  })
})
