import { describe, expect, it } from 'vitest'
import { resolveConnection } from '../../config/connection-kinds.ts'
import type { Connection, ServerConfig } from '../../config/server-config.ts'
import { extractSecrets, maskSecrets, secretsIn } from './write-secrets.ts'

const server = (connection: Partial<Connection>, name = 'git-hub'): ServerConfig => ({
  name,
  connection: { type: 'stdio', command: 'x', args: [], env: {}, ...connection } as Connection, // the parts a test needs
  enabled: true,
  origin: { source: 'cursor', file: 'mcp.json' },
})

it('finds values that look like a secret in any document, at any depth', () => {
  const document = {
    primaryApiKey: 'one',
    theme: 'dark',
    list: [{ password: 'two' }, '--token', 'three', 'plain'],
    deep: { url: 'https://ada:four@example.com/?api_key=five', file: { TOKEN_FILE: 'path' } },
    any: 'ghp_0123456789abcdef',
    token: `\${TOKEN}`,
    headers: { Authorization: `Bearer \${input:token}`, 'X-Api-Key': `{env:KEY}` },
  }
  expect([...secretsIn(document)].sort()).toEqual(['five', 'four', 'ghp_0123456789abcdef', 'one', 'three', 'two'])
})

it('masks the secret of an OAuth client, but not its id', () => {
  const auth = { clientId: 'toolcrib', clientSecret: 'hush-hush' }
  const remote: Connection = { type: 'http', url: 'https://a.example/mcp', headers: {}, auth }
  expect(JSON.stringify(maskSecrets(remote))).not.toContain('hush-hush')
  expect(maskSecrets(remote)).toMatchObject({ auth: { clientId: 'toolcrib' } })
})

describe('extracting a secret from a connection', () => {
  it.each([
    ['a variable', { env: { GITHUB_TOKEN: 'abc' } }, { env: { GITHUB_TOKEN: `\${GITHUB_TOKEN}` } }],
    ['a flag with its value', { args: ['--api-key=abc'] }, { args: [`--api-key=\${GIT_HUB_API_KEY}`] }],
    ['a flag and its value', { args: ['--token', 'abc'] }, { args: ['--token', `\${GIT_HUB_TOKEN}`] }],
    ['an argument that is a token', { args: ['ghp_0123456789abcdef'] }, { args: [`\${GIT_HUB_TOKEN}`] }],
    [
      'a header',
      { type: 'http', url: 'https://a.example', headers: { Authorization: 'Bearer abc' } },
      { headers: { Authorization: `Bearer \${GIT_HUB_AUTHORIZATION}` } },
    ],
    [
      'an address',
      { type: 'http', url: 'https://u:pw@a.example/?api_key=abc&x=1', headers: {} },
      { url: `https://u:\${GIT_HUB_PASSWORD}@a.example/?api_key=\${GIT_HUB_API_KEY}&x=1` },
    ],
    [
      'a password in an argument that is a URL',
      { args: ['postgresql://admin:PgPassw0rd1@db/prod', 'redis://:a@b@h', 'https://ghp_0123456789abcdef@h/'] },
      {
        args: [
          `postgresql://admin:\${GIT_HUB_PASSWORD}@db/prod`,
          `redis://:\${GIT_HUB_PASSWORD_2}@h`,
          `https://\${GIT_HUB_TOKEN}@h/`,
        ],
      },
    ],
    [
      'a header in the arguments',
      { args: ['--header', 'Authorization: Bearer HdrArgTok', '--header=Authorization: Basic YWRh', 'X-Api-Key:abc'] },
      {
        args: [
          '--header',
          `Authorization: Bearer \${GIT_HUB_AUTHORIZATION}`,
          `--header=Authorization: Basic \${GIT_HUB_AUTHORIZATION_2}`,
          `X-Api-Key:\${X_API_KEY}`,
        ],
      },
    ],
    [
      'a variable in the arguments',
      { args: ['-e', 'GITHUB_TOKEN=DockerEnv77', '--env=A_TOKEN=other', 'API_KEY=EnvStyle88', '-eB_TOKEN=c'] },
      {
        args: [
          '-e',
          `GITHUB_TOKEN=\${GITHUB_TOKEN}`,
          `--env=A_TOKEN=\${A_TOKEN}`,
          `API_KEY=\${GIT_HUB_API_KEY}`,
          `-eB_TOKEN=\${EB_TOKEN}`,
        ],
      },
    ],
    [
      'a value that begins with a dash',
      { args: ['--token', '-leadingdash99', '--verbose'] },
      { args: ['--token', `\${GIT_HUB_TOKEN}`, '--verbose'] },
    ],
    [
      'a shell command or a connection string',
      { args: ['-c', 'export A_TOKEN=abc; x', "host=h password='a b'", 'Server=h;Password=p;Timeout=3'] },
      {
        args: [
          '-c',
          `export A_TOKEN=\${A_TOKEN}; x`,
          `host=h password=\${GIT_HUB_PASSWORD}`,
          `Server=h;Password=\${GIT_HUB_PASSWORD_2};Timeout=3`,
        ],
      },
    ],
    [
      'a query parameter with a name in camel case',
      { type: 'http', url: 'https://a.example/?apiToken=QryTok123&page=2', headers: {} },
      { url: `https://a.example/?apiToken=\${APITOKEN}&page=2` },
    ],
    [
      'a part of the value of a variable',
      { env: { PG_CONN: 'postgres://u:pass@h/db', HEADERS: '{"Authorization": "Bearer abcdefgh"}' } },
      {
        env: {
          PG_CONN: `postgres://u:\${GIT_HUB_PASSWORD}@h/db`,
          HEADERS: `{"Authorization": "Bearer \${GIT_HUB_TOKEN}"}`,
        },
      },
    ],
    ...['PGPASSWORD', 'SENTRY_AUTHTOKEN', 'DB_PASSPHRASE', 'apiToken'].map(
      (name) =>
        [`the variable ${name}`, { env: { [name]: 'abc' } }, { env: { [name]: `\${${name.toUpperCase()}}` } }] as const,
    ),
    [
      'a webhook address',
      { env: { NOTIFY: 'https://hooks.slack.com/services/T/B/x' } },
      { env: { NOTIFY: `\${NOTIFY}` } },
    ],
  ] as const)('replaces %s with a reference that resolves to it', (_, given, expected) => {
    const original = server(given as Partial<Connection>) // each row is a part of one kind of connection
    const { server: changed, secrets } = extractSecrets(original, new Map())
    expect(changed.connection).toMatchObject(expected)
    const values = Object.fromEntries(secrets.map(({ name, value }) => [name, value]))
    expect(resolveConnection(changed.connection, values)).toEqual({ ok: true, connection: original.connection })
    const masked = JSON.stringify(maskSecrets(original.connection))
    for (const { value } of secrets) expect(masked).not.toContain(`"${value}"`)
  })

  it.each([
    {
      env: { GITHUB_TOKEN: `\${GITHUB_TOKEN}`, LOG_LEVEL: 'debug', TOKEN_FILE: '/etc/token', AUTH: 'true', PORT: '80' },
    },
    { args: ['-y', '@modelcontextprotocol/server-github', '--port', '80', 'https://a.example/?page=2'] },
    { args: ['--token', '--verbose', '--auth', '-v'] },
    {
      env: {
        TOKENIZERS_PARALLELISM: 'maybe',
        MAX_TOKENS: 'many',
        KEYBOARD: 'de',
        AUTHOR: 'Ada',
        PASSTHROUGH: 'all',
        passThrough: 'all',
        COMPASS: 'north',
        HOMEPAGE: 'https://ada@a.example:8080/?user=a@b.example',
        ORIGIN: 'http://localhost:3000?from=a@b.example',
      },
    },
    { args: ['auth:latest', 'mcp/session:1.0', '-e', 'GITHUB_TOKEN', 'MODE=fast', 'C:\\keys', '/data:/token'] },
  ])('changes nothing if there is no secret: %j', (given) => {
    const original = server(given)
    expect(extractSecrets(original, new Map())).toEqual({ server: original, secrets: [] })
  })

  it('shares a variable with the same value, and creates another variable for a different value', () => {
    const taken = new Map<string, string | undefined>([['API_TOKEN', 'one']])
    const first = extractSecrets(server({ env: { API_TOKEN: 'one' } }, 'a'), taken)
    const second = extractSecrets(server({ env: { API_TOKEN: 'two' } }, 'b'), taken)
    const third = extractSecrets(server({ env: { API_TOKEN: 'three' } }, 'b'), taken)
    expect([first, second, third].map(({ secrets }) => secrets[0]?.name)).toEqual([
      'API_TOKEN',
      'B_API_TOKEN',
      'B_API_TOKEN_2',
    ])
  })
})
