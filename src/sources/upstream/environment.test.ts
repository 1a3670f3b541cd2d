import { describe, expect, it } from 'vitest'
import { environmentFor, environmentOf, type Inheritance, inheritedSecrets } from './environment.ts'

const namesFor = (given: Inheritance, configured: Record<string, string> = {}, platform: NodeJS.Platform = 'linux') =>
  Object.keys(environmentFor(configured, given, platform).values).sort()

describe('the environment of a server', () => {
  const env = { PATH: '/bin', HOME: '/h', AWS_PROFILE: 'dev', HTTPS_PROXY: 'http://proxy', TERM: undefined }

  it('a server has all variables of this process and the configured ones, which take precedence', () => {
    expect(environmentFor({ HOME: '/other', MINE: '1' }, { env }, 'linux').values).toEqual({
      PATH: '/bin',
      HOME: '/other',
      AWS_PROFILE: 'dev',
      HTTPS_PROXY: 'http://proxy',
      MINE: '1',
    })
  })

  it('a server has only the basic variables and the configured ones if `inherit` is false', () => {
    expect(namesFor({ env, inherit: false }, { MINE: '1' })).toEqual(['HOME', 'MINE', 'PATH'])
  })

  it('a server has the basic variables and those with a name that matches the list in `inherit`', () => {
    const names = { ...env, AWS_REGION: 'x', XAWS_A: 'x', AWS: 'x', KUBECONFIG: '/k', A1: 'x', A22: 'x' }
    expect(namesFor({ env: names, inherit: ['AWS_*', 'KUBECONFIG', 'A?'] })).toEqual([
      'A1',
      'AWS_PROFILE',
      'AWS_REGION',
      'HOME',
      'KUBECONFIG',
      'PATH',
    ])
    expect(namesFor({ env: names, inherit: ['aws_*', 'A.*', '[A]*'] })).toEqual(['HOME', 'PATH'])
    expect(namesFor({ env: names, inherit: [] })).toEqual(['HOME', 'PATH'])
  })

  it('leaves withheld variables out, and reports the names of those that the server would inherit', () => {
    const given = { env: { ...env, GITHUB_TOKEN: 'x' }, withheld: ['GITHUB_TOKEN', 'AWS_PROFILE', 'NOT_SET'] }
    expect(environmentFor({}, given, 'linux')).toMatchObject({ withheld: ['AWS_PROFILE', 'GITHUB_TOKEN'] })
    expect(namesFor(given)).toEqual(['HOME', 'HTTPS_PROXY', 'PATH'])
    expect(namesFor({ ...given, inherit: ['*'] })).toEqual(['HOME', 'HTTPS_PROXY', 'PATH'])
    expect(environmentFor({}, { ...given, inherit: false }, 'linux').withheld).toEqual([])
  })

  it('a variable that the configuration sets is neither withheld nor reported as withheld', () => {
    const { values, withheld } = environmentFor(
      { TOKEN: 'mine' },
      { env: { TOKEN: 'x' }, withheld: ['TOKEN'] },
      'linux',
    )
    expect([values, withheld]).toEqual([{ TOKEN: 'mine' }, []])
  })

  it('never withholds the basic variables', () => {
    expect(namesFor({ env, withheld: ['HOME', 'PATH'] })).toContain('HOME')
  })

  it('a server inherits no TOOLCRIB_ variable except TOOLCRIB_WITHIN, which lists the configs of the parent gateways', () => {
    const own = { TOOLCRIB_TOKEN: 'x', TOOLCRIB_WITHIN: '[]' }
    for (const inherit of [true, ['*'], ['TOOLCRIB_*']]) {
      expect(namesFor({ env: own, inherit })).toEqual(['TOOLCRIB_WITHIN'])
    }
    expect(namesFor({ env: own }, { TOOLCRIB_TOKEN: 'mine' })).toEqual(['TOOLCRIB_TOKEN', 'TOOLCRIB_WITHIN'])
  })

  it('a server inherits no shell functions', () => {
    expect(namesFor({ env: { SHELL: '() { :; }', 'BASH_FUNC_x%%': '() { :; }' } })).toEqual([])
  })

  it('ignores the case of names on Windows', () => {
    const ours = {
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
      Github_Token: 'x',
      Aws_Profile: 'y',
      Toolcrib_Token: 'z',
    }
    const given = { env: ours, withheld: ['GITHUB_TOKEN'] }
    expect(namesFor(given, {}, 'win32')).toEqual(['Aws_Profile', 'Path', 'SystemRoot'])
    expect(namesFor({ ...given, inherit: ['AWS_*', 'github_token'] }, {}, 'win32')).toContain('Aws_Profile')
    expect(namesFor({ ...given, inherit: false }, {}, 'win32')).toEqual(['Path', 'SystemRoot'])
    expect(namesFor(given)).toContain('Github_Token')
  })

  it('a server inherits no hidden variables of Windows such as the folder of a drive', () => {
    expect(namesFor({ env: { '=C:': 'C:\\work', Path: 'C:\\bin' } }, {}, 'win32')).toEqual(['Path'])
  })

  it('uses the configured value when a variable is spelled in two ways on Windows', () => {
    const ours = { TEMP: 'C:\\tmp', Path: 'C:\\bin' }
    expect(environmentFor({ Temp: 'D:\\mine' }, { env: ours }, 'win32').values).toEqual({
      Temp: 'D:\\mine',
      Path: 'C:\\bin',
    })
  })
})

describe('the values to redact', () => {
  it('redacts inherited secrets and passwords in addresses, but no harmless values', () => {
    const env = {
      GITHUB_TOKEN: 'abc123def',
      DB_PASSWORD: 'hunter',
      HTTPS_PROXY: 'http://me:pa55word@proxy:8080',
      NPM: 'npm_0123456789abcdef',
      DESKTOP_SESSION: 'ubuntu',
      SSH_AUTH_SOCK: '/tmp/ssh-1/agent.1',
      LANG: 'en_US.UTF-8',
      TERM: 'xterm-256color',
      GITHUB_TOKEN_FILE: '/run/secrets/github',
    }
    expect(new Set(inheritedSecrets(env))).toEqual(new Set(['abc123def', 'hunter', 'pa55word', 'npm_0123456789abcdef']))
  })

  it('with `isRedactedWhole`, redacts every inherited value that does not look harmless', () => {
    const connection = { type: 'stdio', command: 'x', args: [], env: {} } as const
    const env = { SETTING: 'a-value-of-some-kind', PATH: '/usr/bin' }
    expect(environmentOf(connection, connection, { env }).secrets).toEqual([])
    expect(environmentOf(connection, connection, { env, isRedactedWhole: true }).secrets).toEqual([
      'a-value-of-some-kind',
    ])
  })

  it('does not redact the folders of the shell, although PWD looks like the name of a password', () => {
    const connection = { type: 'stdio', command: 'x', args: [], env: {} } as const
    const env = { PWD: '/srv/my (new) work', OLDPWD: '/srv/notes', DB_PWD: 'hunter-22' }
    for (const isRedactedWhole of [true, false]) {
      expect(environmentOf(connection, connection, { env, isRedactedWhole }).secrets).toEqual(['hunter-22'])
    }
  })

  it('redacts the secrets in the headers of a server over HTTP, which has no environment', () => {
    const connection = {
      type: 'http',
      url: 'https://a.example',
      headers: { Authorization: 'Bearer abcdef123' },
    } as const
    const { values, secrets } = environmentOf(connection, connection, { env: { A: 'b' } })
    expect(values).toEqual({})
    expect(secrets).toContain('abcdef123')
  })
})
