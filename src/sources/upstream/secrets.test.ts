import { describe, expect, it } from 'vitest'
import type { HttpConnection, StdioConnection } from '../../config/server-config.ts'
import { secretsOf, sureSecretsOf } from './secrets.ts'

const reference = (name: string) => `$\{${name}}`
const stdio = (fields: Partial<StdioConnection>): StdioConnection => ({
  type: 'stdio',
  command: 'server',
  args: [],
  env: {},
  ...fields,
})
const http = (url: string, headers: Record<string, string> = {}): HttpConnection => ({ type: 'http', url, headers })

describe('the secrets of a connection', () => {
  it('treats the values of all references as secrets', () => {
    const written = stdio({
      args: ['--token', reference('A'), `--url=https://x/${reference('B')}/y?k=${reference('C')}`],
      env: { D: `prefix-${reference('D')}` },
    })
    const resolved = stdio({
      args: ['--token', 'aaaaaa', '--url=https://x/bbbbbb/y?k=cccccc'],
      env: { D: 'prefix-dddddd' },
    })
    expect(secretsOf(written, resolved)).toEqual(['aaaaaa', 'bbbbbb', 'cccccc', 'dddddd', 'prefix-dddddd'])
  })

  it('leaves out values that could be words of a description, unless their name or form is that of a secret', () => {
    const env = { REGION: reference('REGION'), DB: reference('DB_PASSWORD'), TITLE: 'My notes', KEYBOARD: 'german' }
    const more = { LOGIN: 'ghp_16C7e42F292c6912E7', API_KEY: 'letmein' }
    const args = ['--auth-mode', 'browser', '--token', reference('T'), 'https://me:hunter22@x']
    const written = stdio({ args, env: { ...env, ...more } })
    const known = { ...env, REGION: 'eu-west-1', DB: 'correct horse', ...more }
    const resolved = stdio({ args: [...args.slice(0, 3), 'abc-def-ghi', 'https://me:hunter22@x'], env: known })
    expect(sureSecretsOf(written, resolved)).toEqual([
      'correct horse',
      more.LOGIN,
      more.API_KEY,
      'abc-def-ghi',
      'hunter22',
    ])
  })

  it('finds the secret of an OAuth client, whether it is written as a reference or as a plain value', () => {
    const auth = (clientSecret: string): HttpConnection => ({
      ...http('https://x/mcp'),
      auth: { clientId: 'c', clientSecret },
    })
    expect(secretsOf(auth(reference('A')), auth('aaaaaa'))).toEqual(['aaaaaa'])
    expect(secretsOf(auth('plain-text'), auth('plain-text'))).toEqual(['plain-text'])
  })

  it('treats values of variables as secrets if they do not look harmless', () => {
    const env = {
      KEY: 'ghp_16C7e42F292c6912E7',
      DEBUG: 'true',
      PORT: '8080000',
      NODE_ENV: 'production',
      DIR: '/var/lib/data',
      URL: 'https://api.example.com',
      SHORT: 'A1!',
    }
    expect(secretsOf(stdio({ env }), stdio({ env }))).toEqual(['ghp_16C7e42F292c6912E7'])
  })

  it('treats harmless-looking values as secrets if their name is that of a secret or they are too long for a word', () => {
    const env = {
      API_KEY: '99887766',
      PASSWORD: 'sesame',
      PHRASE: 'correcthorsebattery',
      ID: '99887766554433',
      SALT: '/k3y/with+slash==',
    }
    const connection = stdio({ env, args: ['--auth-token', 'opensesame', '--password=hunter', '--mode', 'quiet'] })
    expect(secretsOf(connection, connection)).toEqual([...Object.values(env), 'opensesame', 'hunter'])
  })

  it('treats the values of references in the working directory as secrets', () => {
    expect(secretsOf(stdio({ cwd: `/data/${reference('A')}` }), stdio({ cwd: '/data/aaaaaa' }))).toEqual(['aaaaaa'])
  })

  it('treats headers with and without their scheme, and credentials in a URL, as secrets', () => {
    const connection = http('https://user:Passw0rd@x.example/mcp?api_key=K3yK3yK3y', {
      authorization: 'Bearer T0kenT0ken',
    })
    expect(secretsOf(connection, connection)).toEqual([
      'Bearer T0kenT0ken',
      'T0kenT0ken',
      'K3yK3yK3y',
      'Passw0rd',
      Buffer.from('user:Passw0rd').toString('base64'),
    ])
  })

  it('treats the decoded name and password of HTTP Basic authentication as secrets', () => {
    const encoded = Buffer.from('user:Pass:w0rd').toString('base64')
    const connection = http('https://x.example/mcp', { authorization: `Basic ${encoded}` })
    expect(secretsOf(connection, connection)).toEqual([`Basic ${encoded}`, encoded, 'user:Pass:w0rd', 'Pass:w0rd'])
  })

  it('treats the passwords of URLs in arguments and variables as secrets, in encoded and in decoded form', () => {
    const env = { STORE: 'redis://:p%40ssword@host:6379' }
    const connection = stdio({ args: ['postgresql://user:s3cretpw@host/db', '--url=mysql://u:hunter22@h/d'], env })
    expect(secretsOf(connection, connection)).toEqual([env.STORE, 's3cretpw', 'hunter22', 'p%40ssword', 'p@ssword'])
  })

  it('treats a token that is used as the user name in a URL as a secret', () => {
    const connection = http('https://ghp_0123456789@x.example/mcp')
    expect(secretsOf(connection, connection)).toEqual(['ghp_0123456789'])
  })

  it('treats a password with a percent sign in a URL as a secret', () => {
    const connection = http('https://user:100%sure@x.example/mcp')
    expect(secretsOf(connection, connection)).toContain('100%sure')
  })

  it('treats a value that looks like a word or a URL as a secret if its name or its form is that of a secret', () => {
    const env = { DB_PASS: 'swordfish', NOTIFY: 'https://hooks.slack.com/services/T0/B0/x' }
    const connection = stdio({ env })
    expect(secretsOf(connection, connection)).toEqual(Object.values(env))
  })

  it('takes the whole value as a secret if it does not match its template', () => {
    expect(secretsOf(stdio({ command: `a${reference('X')}` }), stdio({ command: 'something-else' }))).toEqual([
      'something-else',
    ])
  })
})
