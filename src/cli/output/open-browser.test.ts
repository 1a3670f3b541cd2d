import { describe, expect, it } from 'vitest'
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

  it('openBrowser returns false if the program cannot be started', async () => {
    expect(await openBrowser(URL, { platform: 'linux', env: { BROWSER: 'no-such-program' } })).toBe(false)
  })
})
