import { describe, expect, it } from 'vitest'
import { cacheDir, configDir, type PathEnv, stateDir } from './paths.ts'

function all(from: PathEnv) {
  return [stateDir(from), cacheDir(from), configDir(from)]
}

const XDG = { XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/c/', XDG_CONFIG_HOME: '/f' }

describe('the folders of this program', () => {
  it.each<[string, NodeJS.Platform, PathEnv['env'], readonly string[]]>([
    ['on Linux', 'linux', {}, ['/me/.local/state/toolcrib', '/me/.cache/toolcrib', '/me/.config/toolcrib']],
    ['on Linux, chosen', 'linux', XDG, ['/s/toolcrib', '/c/toolcrib', '/f/toolcrib']],
    ['on FreeBSD, as on Linux', 'freebsd', XDG, ['/s/toolcrib', '/c/toolcrib', '/f/toolcrib']],
    [
      'on Linux, chosen relative or empty and so ignored',
      'linux',
      { XDG_STATE_HOME: 'state', XDG_CACHE_HOME: '', XDG_CONFIG_HOME: './f' },
      ['/me/.local/state/toolcrib', '/me/.cache/toolcrib', '/me/.config/toolcrib'],
    ],
    [
      'on macOS',
      'darwin',
      {},
      [
        '/me/Library/Application Support/toolcrib',
        '/me/Library/Caches/toolcrib',
        '/me/Library/Application Support/toolcrib',
      ],
    ],
    ['on macOS, chosen', 'darwin', XDG, ['/s/toolcrib', '/c/toolcrib', '/f/toolcrib']],
  ])('%s', (_where, platform, env, expected) => {
    expect(all({ home: '/me', platform, env })).toEqual(expected)
  })

  it.each([
    ['', 'D:\\me\\AppData\\Local'],
    ['relative', 'D:\\me\\AppData\\Local'],
    ['E:\\local', 'E:\\local'],
  ])('on Windows, with LOCALAPPDATA %j', (local, base) => {
    const from: PathEnv = { home: 'D:\\me', platform: 'win32', env: { LOCALAPPDATA: local, XDG_STATE_HOME: '/s' } }
    expect(all(from)).toEqual(['state', 'cache', 'config'].map((name) => `${base}\\toolcrib\\${name}`))
  })
})
