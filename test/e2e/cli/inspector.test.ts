// toolcrib inspector: starts a gateway or uses a running one, prints the address and opens the browser.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  type CliHome,
  createHome,
  hasTerminal,
  printed,
  processesWith,
  root,
  run,
  runOnTerminal,
  start,
  stopped,
} from './harness.ts'

vi.setConfig({ testTimeout: 120_000 })

const fixture = join(root, 'build/test/fixtures/upstream/named-tools.js')

function homeWith(http: object = {}): CliHome {
  const home = createHome()
  onTestFinished(async () => {
    expect(processesWith(home.folder)).toEqual([])
    await home.remove()
  })
  const servers = { files: { command: process.execPath, args: [fixture, 'read_file', home.folder] } }
  home.write('.config/toolcrib/config.json', { discovery: { servers }, http })
  return home
}

interface Printed {
  readonly url: string
  readonly address: string
  readonly login: string
  readonly isOpened: boolean
  readonly tokenFile?: string
}

/** Starts `toolcrib inspector` and returns its JSON document. */
async function begin(home: CliHome, ...args: readonly string[]) {
  const child = start(home, ['inspector', '--json', ...args])
  const text = await printed(child, '\n}\n')
  onTestFinished(async () => void (await stopped(child, 'SIGTERM')))
  return { child, document: JSON.parse(text) as Printed } // the form that the tests check
}

const overview = async (url: string, token: string | undefined) => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(new URL('api/overview', url), { headers })
  return { status: response.status, body: response.ok ? await response.json() : undefined }
}

it('inspector starts a gateway on loopback, and its page needs the token of this user', async () => {
  const home = homeWith({ host: '0.0.0.0' })
  const { child, document } = await begin(home, '--no-open')
  const { url, address, login, isOpened, tokenFile = '' } = document
  expect([login, isOpened, address]).toEqual(['own', false, url])
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
  const page = await fetch(url)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<!doctype html>')])
  const token = readFileSync(tokenFile, 'utf8').trim()
  expect((await overview(url, undefined)).status).toBe(401)
  expect((await overview(url, token)).body).toMatchObject({ servers: [{ id: 'files' }], caller: { isUnlimited: true } })
  expect(await stopped(child, 'SIGTERM')).toBe(0)
})

it('inspector uses a gateway that already serves HTTP, and opens its address with the token', async () => {
  const home = homeWith()
  const first = await begin(home, '--no-open')
  const opened = join(home.folder, 'opened.txt')
  const script = home.write(
    'browser.cjs',
    `require('fs').writeFileSync(${JSON.stringify(opened)}, process.argv.at(-1))`,
  )
  const second = await run(home, ['inspector', '--json'], { env: { BROWSER: `${process.execPath} ${script}` } })
  expect(second.code).toBe(0)
  expect(JSON.parse(second.stdout)).toEqual({ ...first.document, isOpened: true })
  const token = readFileSync(first.document.tokenFile ?? '', 'utf8').trim()
  await vi.waitFor(() => expect(readFileSync(opened, 'utf8')).toBe(`${first.document.url}#token=${token}`), 20_000)
  // The token is not printed, because the output of a pipe is usually kept.
  expect(second.stdout + second.stderr).not.toContain(token)
  const quiet = await run(home, ['inspector', '--no-open', '--quiet'])
  expect(quiet.stdout).toBe(`${first.document.url}\n`)
  const text = await run(home, ['inspector', '--no-open'])
  expect(text.stdout).toContain(`Open the inspector in a browser: ${first.document.url}\n`)
  expect(text.stdout).toContain('The token is in ~/')
})

it('inspector prints the address to open by hand if the program that opens the browser fails', async () => {
  const home = homeWith()
  const { document } = await begin(home, '--no-open')
  const script = home.write('browser.cjs', 'process.exitCode = 3')
  const { code, stdout } = await run(home, ['inspector'], { env: { BROWSER: `${process.execPath} ${script}` } })
  expect(code).toBe(0)
  expect(stdout).toContain(`Open the inspector in a browser: ${document.url}\n`)
})

it.skipIf(!hasTerminal)('inspector prints the token on a terminal', async () => {
  const home = homeWith()
  const { document } = await begin(home, '--no-open')
  const { stdout } = await runOnTerminal(home, ['inspector', '--no-open', '--quiet'])
  const token = readFileSync(document.tokenFile ?? '', 'utf8').trim()
  expect(stdout.trim()).toBe(`${document.url}#token=${token}`)
})

it('inspector prints which tokens the page accepts if the config has tokens', async () => {
  const home = homeWith({ tokens: { alice: 'alice-0123456789abcdef' } })
  const { document } = await begin(home, '--no-open')
  expect(document).toEqual({ url: document.url, address: document.url, login: 'other', isOpened: false })
  const { stdout } = await run(home, ['inspector', '--no-open'])
  expect(stdout).toContain('The page asks for a token: one of http.tokens, or one of `toolcrib token add`.')
  expect((await overview(document.url, 'alice-0123456789abcdef')).status).toBe(200)
})

it('inspector starts nothing if the configuration disables the inspector', async () => {
  const home = homeWith({ inspector: 'off' })
  const { code, stdout, stderr } = await run(home, ['inspector', '--no-open'])
  expect([code === 0, stdout]).toEqual([false, ''])
  expect(stderr).toContain('the configuration disables the inspector')
})

it.skipIf(!hasTerminal)('serve --http prints the address of the inspector with the token on a terminal', async () => {
  const home = homeWith()
  const { stdout } = await runOnTerminal(home, ['serve', '--http', '--port', '0'], { typed: [['with it', '\u0003']] })
  const token = readFileSync(join(home.folder, '.local/state/toolcrib/token'), 'utf8').trim()
  expect(stdout).toMatch(new RegExp(`^Inspector  http://127\\.0\\.0\\.1:\\d+/#token=${token}$`, 'm'))
})

it.each([
  [
    'the address of the inspector without a token, if --no-auth is given',
    {},
    ['--no-auth'],
    ['Inspector  http://127.0.0.1:<port>/'],
  ],
  ['no address of the inspector if the config switches it off', { inspector: 'off' }, [], []],
])('serve --http prints %s', async (_, http, flags, expected) => {
  const home = homeWith(http)
  const child = start(home, ['serve', '--http', '--port', '0', ...flags])
  const text = await printed(child, 'Stop with Ctrl-C.')
  expect(await stopped(child, 'SIGTERM')).toBe(0)
  const lines = text.split('\n').filter((line) => line.startsWith('Inspector'))
  expect(lines.map((line) => line.replace(/:\d+/, ':<port>'))).toEqual(expected)
})
