// Row 12 of docs/security.md: planted secrets must reach their server, but no log, error, list, command output or file.

import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { run as runCommand } from '../e2e/cli/harness.ts'
import { useHome } from '../e2e/gateway/home.ts'
import { faultGateway, hostile, report } from './harness.ts'

/** A different secret for each place, so that a test that fails shows which one was found. */
const plant = (place: string, count: number) =>
  Array.from({ length: count }, (_, at) => `sk-${place}-${at}-${randomBytes(9).toString('hex')}`)
const planted = {
  env: plant('env', 12),
  headers: plant('header', 8),
  url: plant('url', 6),
  arguments: plant('argument', 8),
  results: plant('result', 8),
  errors: plant('error', 8),
}
const ALL = Object.values(planted).flat()
/** The secrets of the config. The client of a call knows its own arguments and results. */
const OF_CONFIG = [...planted.env, ...planted.headers, ...planted.url]

/** The requests that the echoing server received. It repeats each in its error. */
const received: string[] = []
const echoingServer = createServer((request, response) => {
  received.push(`${request.url} ${JSON.stringify(request.headers)}`)
  response.writeHead(500, { 'content-type': 'text/plain' }).end(`No entry: ${received.at(-1)}`)
})
beforeAll(() => new Promise<void>((resolve) => echoingServer.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => echoingServer.close(resolve)))

const home = useHome()
const reference = (name: string) => `\${${name}}`
const variables = (secrets: readonly string[], prefix: string) =>
  Object.fromEntries(secrets.map((secret, at) => [`${prefix}_${at}`, secret]))

it('row 12: 50 planted secrets are found in no log, audit record, error, command output or file except stored results, and all files are for this user only', async () => {
  expect(ALL).toHaveLength(50)
  const { port } = echoingServer.address() as AddressInfo // it listens on a port
  // One half is written in the config, the other half is in the environment of the gateway.
  const half = <T>(all: readonly T[]) => [all.slice(0, all.length / 2), all.slice(all.length / 2)] as const
  const [writtenEnv, referredEnv] = half(planted.env)
  const [writtenHeaders, referredHeaders] = half(planted.headers)
  const [writtenUrl, referredUrl] = half(planted.url)
  const env = {
    ...variables(referredEnv, 'ENV'),
    ...variables(referredHeaders, 'HEADER'),
    ...variables(referredUrl, 'QUERY'),
  }
  const query = [...writtenUrl, ...referredUrl.map((_, at) => reference(`QUERY_${at}`))].map(
    (value, at) => `key${at}=${value}`,
  )
  const gateway = await faultGateway({
    home,
    door: 'http',
    env,
    config: { log: { access: true, audit: true }, http: { metrics: { enabled: true } } },
    servers: {
      leaky: hostile('plain', {
        ...variables(writtenEnv, 'PLANTED_WRITTEN'),
        ...Object.fromEntries(referredEnv.map((_, at) => [`PLANTED_REFERRED_${at}`, reference(`ENV_${at}`)])),
      }),
      wall: {
        url: `http://127.0.0.1:${port}/mcp?${query.join('&')}`,
        headers: {
          ...Object.fromEntries(writtenHeaders.map((secret, at) => [`X-Api-Key-${at}`, secret])),
          ...Object.fromEntries(referredHeaders.map((_, at) => [`X-Token-${at}`, reference(`HEADER_${at}`)])),
        },
        tools: [{ name: 'enter' }],
      },
    },
  })
  const client = await gateway.connect()
  const answers: unknown[] = [
    await client.run({ server: 'leaky', tool: 'leak' }),
    await client.run({ server: 'wall', tool: 'enter' }),
    await client.ask('list_mcp_servers', { limit: 50 }),
    await client.ask('search_tools', { query: 'leak' }),
    await client.ask('list_tools', { server: 'leaky' }),
    await client.ask('get_tool_details', { tool: 'leaky:leak', schema: true }),
  ]
  for (const secret of planted.arguments)
    await client.run({ server: 'leaky', tool: 'echo', arguments: { password: secret } })
  for (const secret of planted.results) {
    const result = await client.run({ server: 'leaky', tool: 'long', arguments: { marker: secret } })
    expect(JSON.stringify(result)).toContain(secret)
  }
  for (const message of planted.errors) await client.run({ server: 'leaky', tool: 'fail', arguments: { message } })
  // The servers have the secrets: otherwise this test would find nothing to hide.
  expect(JSON.stringify(answers[0])).toContain('[redacted]')
  for (const secret of [...planted.headers, ...planted.url]) expect(received.join('\n')).toContain(secret)

  const cli = { cwd: home.path, env: { ...home.env, ...env } }
  const commands = [
    ['list', '--status', '--tools'],
    ['status'],
    ['config', 'show'],
    ['config', 'validate', '--verbose'],
    ['inspect', 'leaky:leak'],
    ['tools', 'leaky'],
    ['stats'],
    ['logs'],
    ['doctor', 'leaky'],
    ['doctor', 'wall'],
    ['search', 'leak'],
    ['pins', 'list'],
    ['pins', 'diff'],
    ['token', 'list'],
  ]
  const shown: string[] = []
  for (const words of commands) {
    const forms = [words, [...words, '--json']]
    for (const { stdout, stderr } of await Promise.all(
      forms.map((form) => runCommand(cli, [...form, '--config', home.config])),
    )) {
      shown.push(stdout, stderr)
    }
  }
  const page = await fetch(new URL('/metrics', gateway.url), { headers: { ...gateway.headers } })
  shown.push(await page.text())
  expect(shown.at(-1)).toContain('leaky')
  expect(gateway.stderr).toContain('"event":"request"')
  expect(shown.slice(0, -1).join('')).toContain('leaky')
  const found = (texts: readonly string[], secrets: readonly string[]) =>
    secrets.filter((secret) => texts.some((text) => text.includes(secret)))
  expect(
    found(
      answers.map((answer) => JSON.stringify(answer)),
      OF_CONFIG,
    ),
  ).toEqual([])
  expect(found([...shown, gateway.stdout, gateway.stderr], ALL)).toEqual([])
  const files = [...home.files(home.state), ...home.files(home.cache)]
  expect(files.length).toBeGreaterThan(8)
  // The rest of a cut result is stored for the client that asked for it.
  const logs = files.filter((file) => !file.includes('/handles/'))
  expect(
    found(
      logs.map((file) => readFileSync(file, 'utf8')),
      ALL,
    ),
  ).toEqual([])
  expect(files.filter((file) => (statSync(file).mode & 0o777) !== 0o600)).toEqual([])
  report(`row 12: ${ALL.length} secrets, 0 found in ${shown.length} outputs and ${files.length} files`)
})
