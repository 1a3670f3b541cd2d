// config reload: warnings about a configuration that a gateway applied, and a gateway that does not answer.

import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { chooseAddress, register } from '../../../src/cli/gateway/registration.ts'
import { createHome, printed, run, start, stopped } from './harness.ts'

vi.setConfig({ testTimeout: 90_000 })

it('config reload prints the warnings about a configuration that the gateway applied', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const write = (limits: object) =>
    home.write('.config/toolcrib/config.json', { limits, discovery: { servers: { a: { command: 'x' } } } })
  const file = write({})
  const gateway = start(home, ['serve', '--http', '--port', '0'])
  onTestFinished(async () => void (await stopped(gateway, 'SIGTERM')))
  await printed(gateway, 'Listening on')
  write({ drainMs: 1_234 })
  const { code, stdout } = await run(home, ['config', 'reload'], { columns: 500 })
  expect(code).toBe(0)
  const warning = `warning: ${file} limits.drainMs: This takes effect when the gateway is started again; the rest of the file applies now`
  expect(stdout).toBe(`✓ Gateway ${gateway.pid}: reloaded, 1 server\n  ${warning}\n`)
  expect(JSON.parse((await run(home, ['config', 'reload', '--json'])).stdout)).toEqual({
    gateways: [{ pid: gateway.pid, answered: true, applied: true, servers: 1, reasons: [warning] }],
  })
})

it('config reload loads an edited CommonJS config again', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const write = (servers: object) =>
    home.write('.config/toolcrib/config.js', `module.exports = { discovery: { servers: ${JSON.stringify(servers)} } }`)
  write({})
  const gateway = start(home, ['serve', '--http', '--port', '0'])
  onTestFinished(async () => void (await stopped(gateway, 'SIGTERM')))
  await printed(gateway, 'Listening on')
  write({ a: { command: 'x' } })
  const { stdout } = await run(home, ['config', 'reload'])
  expect(stdout).toBe(`✓ Gateway ${gateway.pid}: reloaded, 1 server\n`)
})

it('serve applies an edit that was made while the config was first loaded', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const serve = () => start(home, ['serve', '--http', '--port', '0'])
  const config = '.config/toolcrib/config.mjs'
  // The first gateway creates files beside watched files. In the second gateway, that would cause a reload.
  home.write(config, 'export default { discovery: { servers: {} } }')
  const first = serve()
  await printed(first, 'Listening on')
  await stopped(first, 'SIGTERM')
  const edited = 'export default { limits: { drainMs: 1_234 }, discovery: { servers: {} } }'
  // Replaces its own text while it is loaded, and then waits longer than a difference of clocks.
  home.write(
    config,
    `import { writeFileSync } from 'node:fs'
    import { setTimeout } from 'node:timers/promises'
    import { fileURLToPath } from 'node:url'
    writeFileSync(fileURLToPath(import.meta.url), ${JSON.stringify(edited)})
    await setTimeout(500)
    export default { discovery: { servers: {} } }`,
  )
  const gateway = serve()
  onTestFinished(async () => void (await stopped(gateway, 'SIGTERM')))
  await printed(gateway, 'limits.drainMs: This takes effect when the gateway is started again', 'stderr')
})

it('config reload prints the error if a token of the configuration refers to an unset variable', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const write = (http: object) =>
    home.write('.config/toolcrib/config.json', { http, discovery: { servers: { a: { command: 'x' } } } })
  const file = write({})
  const gateway = start(home, ['serve', '--http', '--port', '0'])
  onTestFinished(async () => void (await stopped(gateway, 'SIGTERM')))
  await printed(gateway, 'Listening on')
  write({ tokens: { dave: `\${NOT_SET}` } })
  const { code, stdout } = await run(home, ['config', 'reload'], { columns: 500 })
  expect(code).toBe(2)
  const effect = 'A gateway over HTTP does not start with this config, and a running one does not apply it'
  const text = `Variable 'NOT_SET' is not set, so 'dave' has no token. ${effect}. Add it to secrets.env, or export it before the gateway starts`
  expect(stdout).toBe(
    `✗ Gateway ${gateway.pid}: did not apply the configuration\n  error: ${file} http.tokens.dave: ${text}\n`,
  )
  // Without --http the token is not needed, so the config is valid.
  expect(await run(home, ['config', 'validate'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/warning: .*http\.tokens\.dave: Variable 'NOT_SET' is not set/),
  })
})

it('config reload reports a gateway that closes the connection as one that did not answer', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const stateDir = join(home.folder, '.local/state/toolcrib')
  const { pid, platform } = process
  const address = await chooseAddress(stateDir, pid, platform, tmpdir())
  const silent = createServer((socket) => void socket.on('error', () => {}).end())
  await new Promise<void>((resolve) => void silent.listen(address, resolve))
  onTestFinished(() => void silent.close())
  await register(stateDir, { pid, address, startedAt: new Date().toISOString(), version: '1.0.0' })
  const { code, stdout } = await run(home, ['config', 'reload'])
  expect(code).toBe(2)
  expect(stdout).toBe(`✗ Gateway ${pid}: did not answer\n  it closed the connection\n`)
})
