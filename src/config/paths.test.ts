// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { describe, expect, it } from 'vitest'
import { resolvePath, resolveTemplatePath, settingsFolder, xdgConfigFolder } from './paths.ts'

describe('resolvePath', () => {
  it.each([
    ['~/x/y.json', '/h/ada/x/y.json'],
    ['~', '/h/ada'],
    ['~bob/x', '/base/~bob/x'],
    ['./x.yaml', '/base/x.yaml'],
    ['../x.yaml', '/x.yaml'],
    ['/abs/x', '/abs/x'],
  ])('resolves the path %s to %s', (path, expected) => {
    expect(resolvePath(path, { home: '/h/ada', platform: 'linux', base: '/base' })).toBe(expected)
  })

  it('resolves paths by the rules of Windows if the platform is Windows', () => {
    const windows = { home: 'C:\\Ada', platform: 'win32', base: 'D:\\base' } as const
    expect(resolvePath('~\\x', windows)).toBe('C:\\Ada\\x')
    expect(resolvePath('~/x', windows)).toBe('C:\\Ada\\x')
    expect(resolvePath('x\\y', windows)).toBe('D:\\base\\x\\y')
    expect(resolvePath('E:\\x', windows)).toBe('E:\\x')
  })
})

describe('resolveTemplatePath', () => {
  it('keeps references, and escapes a folder name that looks like a reference', () => {
    const context = { home: '/h/${USER}', platform: 'linux', base: '/b' } as const
    expect(resolveTemplatePath('${ROOT}/x', context)).toBe('${ROOT}/x')
    expect(resolveTemplatePath('a/${B}', context)).toBe('/b/a/${B}')
    expect(resolveTemplatePath('~/${B}', context)).toBe('/h/$${USER}/${B}')
  })
})

describe('settingsFolder and xdgConfigFolder', () => {
  it.each([
    ['darwin', {}, '/h/ada/Library/Application Support'],
    ['linux', {}, '/h/ada/.config'],
    ['linux', { XDG_CONFIG_HOME: '/cfg' }, '/cfg'],
    ['linux', { XDG_CONFIG_HOME: '' }, '/h/ada/.config'],
  ] as const)('finds the settings folder on %s with the environment %j at %s', (platform, env, expected) => {
    expect(settingsFolder({ home: '/h/ada', platform, env })).toBe(expected)
  })

  it('finds the settings folder on Windows at %APPDATA% or its default, and the XDG folder below home', () => {
    expect(settingsFolder({ home: 'C:\\Ada', platform: 'win32', env: { APPDATA: 'D:\\Data' } })).toBe('D:\\Data')
    expect(settingsFolder({ home: 'C:\\Ada', platform: 'win32', env: {} })).toBe('C:\\Ada\\AppData\\Roaming')
    expect(xdgConfigFolder({ home: 'C:\\Ada', platform: 'win32', env: {} })).toBe('C:\\Ada\\.config')
  })
})
