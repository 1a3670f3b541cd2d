import { describe, expect, it } from 'vitest'
import { cacheDir, configDir, type PathEnv, stateDir } from './paths.ts'

function all(from: PathEnv) {
  return [stateDir(from), cacheDir(from), configDir(from)]
}

const XDG = { XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/c/', XDG_CONFIG_HOME: '/f' }

describe('stateDir, cacheDir and configDir', () => {
  it.each<[string, NodeJS.Platform, PathEnv['env'], readonly string[]]>([
    [
      'uses the home folder on Linux',
      'linux',
      {},
      ['/me/.local/state/toolcrib', '/me/.cache/toolcrib', '/me/.config/toolcrib'],
    ],
    ['uses the XDG variables on Linux', 'linux', XDG, ['/s/toolcrib', '/c/toolcrib', '/f/toolcrib']],
    ['uses the XDG variables on FreeBSD', 'freebsd', XDG, ['/s/toolcrib', '/c/toolcrib', '/f/toolcrib']],
    [
      'ignores relative and empty XDG variables on Linux',
      'linux',
      { XDG_STATE_HOME: 'state', XDG_CACHE_HOME: '', XDG_CONFIG_HOME: './f' },
      ['/me/.local/state/toolcrib', '/me/.cache/toolcrib', '/me/.config/toolcrib'],
    ],
    [
      'uses the Library folder on macOS',
      'darwin',
      {},
      [
        '/me/Library/Application Support/toolcrib',
        '/me/Library/Caches/toolcrib',
        '/me/Library/Application Support/toolcrib',
      ],
    ],
    ['uses the XDG variables on macOS', 'darwin', XDG, ['/s/toolcrib', '/c/toolcrib', '/f/toolcrib']],
  ])('%s', (_where, platform, env, expected) => {
    expect(all({ home: '/me', platform, env })).toEqual(expected)
  })

  it.each([
    ['', 'D:\\me\\AppData\\Local'],
    ['relative', 'D:\\me\\AppData\\Local'],
    ['E:\\local', 'E:\\local'],
  ])('uses the local app data folder on Windows if LOCALAPPDATA is %j', (local, base) => {
    const from: PathEnv = { home: 'D:\\me', platform: 'win32', env: { LOCALAPPDATA: local, XDG_STATE_HOME: '/s' } }
    expect(all(from)).toEqual(['state', 'cache', 'config'].map((name) => `${base}\\toolcrib\\${name}`))
  })
})
