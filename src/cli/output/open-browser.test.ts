import { chmodSync, existsSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type TempFolder, tempFolder } from '../../config/temp-folder.fixture.ts'
import { browserCommand, openBrowser } from './open-browser.ts'

const URL = 'https://login.example.com/auth?a=1&b=2'

describe('the command that opens a browser', () => {
  it.each([
    ['linux', undefined, ['xdg-open', URL]],
    ['darwin', undefined, ['open', URL]],
    ['win32', undefined, ['rundll32', 'url.dll,FileProtocolHandler', URL]],
    ['linux', 'firefox', ['firefox', URL]],
    ['linux', 'firefox --new-window %s --private', ['firefox', '--new-window', URL, '--private']],
    ['linux', ' ', ['xdg-open', URL]],
  ] as const)('on %s with BROWSER=%s, the command that opens the browser is %j', (platform, BROWSER, expected) => {
    expect(browserCommand(URL, { platform, env: { BROWSER } })).toEqual(expected)
  })
})

describe('openBrowser', () => {
  /** The value of BROWSER for a program with this code. */
  const program = (folder: TempFolder, code: string) => `${process.execPath} ${folder.write('browser.cjs', code)}`

  it('openBrowser returns false if the program cannot be started', async () => {
    expect(await openBrowser(URL, { platform: 'linux', env: { BROWSER: 'no-such-program' } })).toBe(false)
  })

  it.each([
    [0, true],
    [3, false],
  ])('openBrowser, with a program that exits at once with the code %i, returns %j', async (code, expected) => {
    const BROWSER = program(tempFolder(), `process.exit(${code})`)
    expect(await openBrowser(URL, { platform: 'linux', env: { BROWSER } })).toBe(expected)
  })

  it('openBrowser returns true while the program still runs, and does not end it', async () => {
    const folder = tempFolder()
    const done = folder.at('done')
    const BROWSER = program(folder, `setTimeout(() => require('fs').writeFileSync(${JSON.stringify(done)}, ''), 2000)`)
    expect(await openBrowser(URL, { platform: 'linux', env: { BROWSER } })).toBe(true)
    expect(existsSync(done)).toBe(false)
    await expect.poll(() => existsSync(done), { timeout: 20_000 }).toBe(true)
  })

  it.skipIf(process.platform === 'win32')('openBrowser on Linux runs xdg-open only if there is a display', async () => {
    const folder = tempFolder()
    const opened = folder.at('opened')
    chmodSync(folder.write('xdg-open', `#!/bin/sh\ntouch '${opened}'\n`), 0o755)
    vi.stubEnv('PATH', `${folder.path}:${process.env.PATH}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await openBrowser(URL, { platform: 'linux', env: { DISPLAY: '' } })).toBe(false)
    expect(existsSync(opened)).toBe(false)
    expect(await openBrowser(URL, { platform: 'linux', env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBe(true)
    expect(existsSync(opened)).toBe(true)
  })
})
