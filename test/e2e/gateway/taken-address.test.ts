// A gateway over HTTP at an address that another program uses, or that is not of this machine.

import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { main, run } from '../cli/harness.ts'
import { gatewayForTest } from './harness.ts'
import { homeForTest } from './home.ts'

const config = { discovery: { servers: {} } }

it('serve names the gateway of this user that has the address, with its process and the commands to type', async () => {
  const home = homeForTest()
  const gateway = await gatewayForTest({ door: 'http', home, config })
  const { port } = new URL(gateway.url)
  const serve = (host: string) =>
    run(
      { cwd: home.path, env: home.env },
      ['serve', '--http', '--host', host, '--port', port, '--config', home.config],
      {
        columns: 1_000,
      },
    )
  for (const host of ['127.0.0.1', 'localhost', '0.0.0.0']) {
    const { stderr, code } = await serve(host)
    expect(code).toBe(3)
    expect(stderr).toContain(`${host}:${port} is in use by your gateway at ${gateway.url} (process ${gateway.pid})`)
    expect(stderr).toContain(`end process ${gateway.pid}`)
    expect(stderr).toContain('--port')
  }
})

it('serve says that another program has the address, if it is not a gateway of this user', async () => {
  const home = homeForTest()
  await gatewayForTest({ door: 'http', home, config })
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  const { stderr } = await run({ cwd: home.path, env: home.env }, ['serve', '--http', '--port', port])
  expect(stderr).toContain(`127.0.0.1:${port} is in use by another program.`)
  expect(stderr).toContain('Next:  Choose another port with --port; 0 takes any free one.')
  expect(stderr).not.toContain('option `port`')
})

it.each([['serve'], ['wrap']])('%s --http says that --host is not an address of this machine', async (command) => {
  const home = homeForTest()
  const wrapped = command === 'wrap' ? ['--', process.execPath, main, 'serve', '--demo'] : ['--config', home.config]
  home.write('gateway.json', config)
  const words = [command, '--http', '--host', '192.0.2.1', '--port', '0', ...wrapped]
  const { stderr, code } = await run({ cwd: home.path, env: home.env }, words, { columns: 1_000 })
  expect(code).toBe(3)
  expect(stderr).toContain("Error: '192.0.2.1' is not an address of this machine (EADDRNOTAVAIL).")
  expect(stderr).toContain('Next:  Leave out --host to serve on this machine only')
})
