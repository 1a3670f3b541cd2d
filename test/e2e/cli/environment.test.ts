// The environment that servers get from execute, doctor, wrap and wrapServer, and how trust shows it.

import { spawn } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type CliHome, connect, createHome, ended, main, root, run, serverScript } from './harness.ts'

const reference = (name: string) => `\${${name}}`
const everything = { command: process.execPath, args: [serverScript('everything')] }
const more = { AWS_PROFILE: 'dev', GITHUB_TOKEN: 'token-of-github', TOOLCRIB_TOKEN: 'own' }

function homeWith(servers: object): CliHome {
  const home = createHome()
  onTestFinished(() => home.remove())
  home.write('.config/toolcrib/config.json', { discovery: { servers } })
  chmodSync(home.write('.config/toolcrib/secrets.env', 'STORED=stored-secret\n'), 0o600)
  return home
}

async function variablesIn(client: Client): Promise<Record<string, string>> {
  onTestFinished(() => client.close())
  const { content } = await client.callTool({ name: 'get-env', arguments: {} })
  const [first] = Array.isArray(content) ? content : []
  return JSON.parse(first?.type === 'text' ? first.text : '')
}

describe('the environment of a server of the command line', () => {
  const servers = { plain: everything, github: { ...everything, env: { TOKEN: reference('GITHUB_TOKEN') } } }

  it('execute and doctor withhold the secrets of other servers from a server, and doctor names the variables', async () => {
    const home = homeWith(servers)
    const env = { ...home.env, ...more }
    const executed = await run(home, ['execute', 'plain:get-env', '--json'], { env })
    expect(executed.stdout).toContain('AWS_PROFILE')
    expect(executed.stdout).not.toMatch(/token-of-github|stored-secret|TOOLCRIB_TOKEN/)
    const shown = await run(home, ['doctor', 'plain'], { env })
    expect(shown.stdout).toContain('Variables: AWS_PROFILE, HOME, LANG, PATH, TERM, TOOLCRIB_WITHIN, USERPROFILE\n')
    expect(shown.stdout).toContain('only other servers refer to them: GITHUB_TOKEN\n')
    const { servers: found } = JSON.parse((await run(home, ['doctor', '--json'], { env })).stdout)
    expect(found).toMatchObject([
      { server: 'plain', withheldVariables: ['GITHUB_TOKEN'] },
      { server: 'github', variables: expect.arrayContaining(['GITHUB_TOKEN', 'TOKEN']) },
    ])
    expect(shown.stdout + JSON.stringify(found)).not.toContain('token-of-github')
  })

  it('doctor tells how to correct a server with a refused variable', async () => {
    const home = homeWith({ bad: { ...everything, env: { LD_PRELOAD: '/x.so' } } })
    const { stdout, code } = await run(home, ['doctor'])
    expect(code).toBe(3)
    expect(stdout).toContain("Problem: its config sets 'LD_PRELOAD', which can make a program run other code\n")
    const where = '~/.config/toolcrib/config.json (discovery.servers.bad)'
    expect(stdout).toContain(
      `Next: Remove it from ${where}, or add \`allowEnv: ['LD_PRELOAD']\` to 'bad' in ${where}.\n`,
    )
    const { stdout: validated } = await run(home, ['config', 'validate'])
    expect(validated).toContain("'bad' does not start: its config sets 'LD_PRELOAD'")
  })

  it('doctor names the env file that sets refused variables', async () => {
    const home = homeWith({ bad: { ...everything, envFile: '~/bad.env' } })
    home.write('bad.env', 'LD_PRELOAD=/x.so\nNODE_OPTIONS=--no-warnings\n')
    const { stdout } = await run(home, ['doctor'])
    expect(stdout).toContain("Problem: its env file sets 'LD_PRELOAD', 'NODE_OPTIONS', which can make")
    expect(stdout).toContain(
      "Next: Remove them from ~/bad.env, or add `allowEnv: ['LD_PRELOAD', 'NODE_OPTIONS']` to 'bad' in",
    )
  })

  it('trust shows that servers inherit variables, and which variables they are allowed to set', async () => {
    const home = homeWith({})
    const bad = { ...everything, env: { NODE_OPTIONS: '--no-warnings' }, allowEnv: ['NODE_OPTIONS'] }
    home.write('project/toolcrib.config.json', {
      discovery: { servers: { bad, few: { ...everything, inheritEnv: false } } },
    })
    const { stdout } = await run(home, ['trust', '--yes'])
    const variables = 'servers get the variables of your environment, except those in secrets.env'
    expect(stdout).toContain(`Unless your config limits \`inheritEnv\`, its ${variables}`)
    expect(stdout).toContain("'bad' may set these variables, which can make a program run other code: NODE_OPTIONS")
    expect(stdout).toContain('NODE_OPTIONS: --no-warnings')
    const shownFor = async (fields: object) => {
      home.write('project/toolcrib.config.json', { discovery: { servers: { one: { ...everything, ...fields } } } })
      return (await run(home, ['trust', '--yes'])).stdout
    }
    // These settings of the project have precedence over those of the user.
    expect(await shownFor({ inheritEnv: true })).toContain(`Its ${variables}`)
    expect(await shownFor({ perPrincipal: true })).not.toContain(variables)
  })
})

describe('the environment of a wrapped server', () => {
  it('wrap passes on the variables of its process, but not TOOLCRIB_TOKEN, and no value from secrets.env', async () => {
    const home = homeWith({})
    const words = ['wrap', '--strategy', 'individual', '--', everything.command, ...everything.args]
    const client = await connect(home, { command: process.execPath, args: [main, ...words] }, { ...more, STORED: '' })
    const variables = await variablesIn(client)
    expect(variables).toMatchObject({ AWS_PROFILE: 'dev', GITHUB_TOKEN: 'token-of-github', STORED: '' })
    expect(variables).not.toHaveProperty('TOOLCRIB_TOKEN')
    expect(JSON.stringify(variables)).not.toContain('stored-secret')
  })

  it.each([
    [{}, ['AWS_PROFILE', 'GITHUB_TOKEN', 'MINE']],
    [{ inheritEnv: false }, ['MINE']],
    [{ inheritEnv: ['AWS_*'] }, ['AWS_PROFILE', 'MINE']],
  ])('wrapServer passes the variables that %j allows', async (options, expected) => {
    const home = homeWith({})
    const connection = { type: 'stdio', ...everything, env: { MINE: '1' }, ...options }
    const script = home.write(
      'wrapped.mjs',
      `import { wrapServer } from ${JSON.stringify(join(root, 'dist/lib/index.js'))}
await wrapServer(${JSON.stringify(connection)}, { strategy: 'individual', transport: 'stdio' }).start()\n`,
    )
    const variables = await variablesIn(await connect(home, { command: process.execPath, args: [script] }, more))
    const names = ['AWS_PROFILE', 'GITHUB_TOKEN', 'MINE', 'TOOLCRIB_TOKEN'].filter((name) => name in variables)
    expect(names).toEqual(expected)
  })

  it('wrapServer refuses NODE_OPTIONS unless it is allowed', async () => {
    const home = homeWith({})
    const script = home.write(
      'refused.mjs',
      `import { wrapServer } from ${JSON.stringify(join(root, 'dist/lib/index.js'))}
const connection = ${JSON.stringify({ type: 'stdio', ...everything, env: { NODE_OPTIONS: '--no-warnings' } })}
const options = { transport: 'http', port: 0 }
await wrapServer(connection, options).start().then(() => console.log('started'), (error) => console.log(error.message))
const allowed = wrapServer({ ...connection, allowEnv: ['NODE_OPTIONS'] }, options)
await allowed.start()
await allowed.stop()\n`,
    )
    const { stdout, code } = await ended(
      spawn(process.execPath, [script], { env: home.env, stdio: ['ignore', 'pipe', 'pipe'] }),
    )
    expect(code).toBe(0)
    expect(stdout).toContain("its config sets 'NODE_OPTIONS', which makes programs load other code")
  })
})
