// A short text and an example for each key of a config. docs/configuration.md and the JSON Schema are made from them.
//
// The texts are not on the schema itself: every command loads the schema, and `.meta()` on each key added 4 ms to its start.

import type { Connection } from '../../src/config/server-config.ts'
import { MAX_MESSAGE_BYTES } from '../../src/core/message-lines.ts'
import { MAX_AUDIT_BYTES } from '../../src/crib/open-audit.ts'
import { MAX_HANDLE_BYTES, MAX_HANDLES, MAX_RESULT_TOKENS } from '../../src/dispatch/result-limit/result-limit.ts'
import { DEFAULT_DRAIN_MS } from '../../src/front/activity.ts'
import { MAX_PEOPLE } from '../../src/sources/upstream/per-principal.ts'
import { settingsFor } from '../../src/sources/upstream/settings.ts'
import { MAX_STARTING } from '../../src/sources/upstream/start-limiter.ts'

export interface KeyText {
  /** One or more plain sentences. */
  readonly text: string
  /** A valid value. Absent for an object that is described only by its keys. */
  readonly example?: unknown
  /** The default, if the schema does not contain it: a value or a short text. */
  readonly default?: unknown
}

/** The path of a server in a config. */
export const SERVER = 'discovery.servers.NAME'

/** Throws if a key has no text. */
export function textOf(path: string): KeyText {
  // The keys of a connection mean the same inside and beside `connection`.
  const text = TEXTS[path] ?? TEXTS[path.replace(`${SERVER}.connection.`, `${SERVER}.`)]
  if (text !== undefined) return text
  throw new Error(
    `The config key '${path}' has no text. Add a sentence and an example for it to scripts/config/texts.ts, then run \`npm run docs\` and commit the result.`,
  )
}

const stdioConnection: Connection = { type: 'stdio', command: 'x', args: [], env: {} }
const upstream = settingsFor({ name: '', connection: stdioConnection, enabled: true, origin: { source: '', file: '' } })

export const TEXTS: Readonly<Record<string, KeyText>> = {
  $schema: {
    text: 'The JSON Schema for editors. The gateway ignores it.',
    example: './node_modules/toolcrib/schema/config.schema.json',
  },

  http: { text: 'The address and the clients of `toolcrib serve --http`.' },
  'http.host': { text: 'The address to listen on. `--host` takes precedence.', example: '0.0.0.0' },
  'http.port': { text: 'The port to listen on. 0 takes any free port. `--port` takes precedence.', example: 4100 },
  'http.whenStoreIsDown': {
    text: 'While [Redis](replicas.md) is out of reach, a gateway does not learn which tokens are revoked. `open` accepts the tokens of `toolcrib token add` that it knows, and `closed` refuses them with status 503. Tokens of the configuration and of a company login are not affected.',
    example: 'closed',
  },
  'http.tokens': {
    text: 'The token of each client by its name, with its rights; see [team.md](team.md). A token given as a plain string has all rights. Without tokens here and without `http.oauth`, one token is created and stored. Tokens of `toolcrib token add` are accepted too.',
    example: {
      alice: `\${ALICE_TOKEN}`,
      bob: { token: `\${BOB_TOKEN}`, servers: ['files'], tools: ['read_*'], readOnly: true, expires: '2027-01-31' },
    },
  },
  'http.oauth': {
    text: 'The authorization server of a company. The gateway accepts its access tokens; see [team.md](team.md).',
    example: {
      issuer: 'https://login.example.com',
      audience: 'https://tools.example.com/mcp',
      scopes: { 'tools:read': { readOnly: true }, 'tools:all': {} },
    },
  },
  'http.oauth.issuer': {
    text: 'The issuer of the tokens, exactly as in their claim `iss`. With `https`, or on a loopback address.',
    example: 'https://login.example.com',
  },
  'http.oauth.audience': {
    text: 'The value that the claim `aud` must contain: usually the public address of the gateway.',
    example: 'https://tools.example.com/mcp',
  },
  'http.oauth.jwksUri': {
    text: 'The address of the keys of the issuer. By default it is taken from the metadata of the issuer.',
    example: 'https://login.example.com/jwks',
  },
  'http.oauth.claim': {
    text: 'The claim with the values that select the rights: a text with words separated by spaces, or a list.',
    example: 'groups',
  },
  'http.oauth.principalClaim': {
    text: 'The claim with the name of the person. The audit log shows it after `oauth:`.',
    example: 'email',
  },
  'http.oauth.scopes': {
    text: 'The rights of each value of the claim: `servers`, `tools` and `readOnly`, as for a token. A token with several values has the rights of all of them. A token with none is refused.',
    example: { 'tools:read': { readOnly: true }, admins: {} },
  },

  'http.allowedHosts': {
    text: 'The names by which clients reach the gateway, besides loopback names and the address that it listens on; see [deploy.md](deploy.md).',
    example: ['tools.example.com', '*.tools.example.com', 'tools.example.com:8443'],
  },
  'http.allowedOrigins': {
    text: 'The web pages that may call the gateway. They get CORS headers.',
    example: ['https://app.example.com'],
  },
  'http.trustProxy': {
    text: 'The proxies from which the gateway accepts the headers `X-Forwarded-For`, `-Proto` and `-Host`: the one that connects (`true`), or all with these addresses.',
    example: ['10.0.0.0/8', '::1'],
  },
  'http.basePath': {
    text: 'The path before `/mcp`, `/health`, `/ready`, `/metrics` and the inspector.',
    example: '/tools',
  },
  'http.inspector': {
    text: 'The web page at `/` with servers, tools, searches and calls. `read-only`: the page calls no tool. `off`: there is no page. See [inspector.md](inspector.md).',
    example: 'read-only',
  },
  'http.metrics': { text: 'Metrics for Prometheus at `/metrics`; see [deploy.md](deploy.md#metrics).' },
  'http.metrics.enabled': {
    text: 'Whether the gateway serves metrics for Prometheus at `/metrics`; see [deploy.md](deploy.md#metrics). They need the package `prom-client`.',
    example: true,
  },
  'http.metrics.public': { text: 'Whether metrics can be read without a token.', example: true },
  'http.metrics.principals': {
    text: 'The principals that may read metrics.',
    example: ['prometheus'],
    default: 'all principals with all rights',
  },
  'http.metrics.maxTools': {
    text: 'How many tools have a label of their own. Further tools share the label `other`.',
    example: 1_000,
  },
  'http.tls': { text: 'The certificate of the gateway. It is read again when its files change.' },
  'http.tls.cert': {
    text: 'The file with the certificate and its chain, in PEM format. It is read again when the file changes.',
    example: '/etc/toolcrib/tls/tls.crt',
  },
  'http.tls.key': {
    text: 'The file with the private key, in PEM format. It is read again when the file changes.',
    example: '/etc/toolcrib/tls/tls.key',
  },

  audit: { text: 'The log of calls.' },
  'audit.mode': {
    text: '`lenient` writes each record shortly after its call, and reports how many records it could not write. `strict` writes a line before each call, and refuses a call if the line cannot be written.',
    example: 'strict',
  },
  'audit.file': {
    text: 'The log file.',
    example: '/var/log/toolcrib/audit.jsonl',
    default: '`audit.jsonl` in the state folder',
  },
  'audit.stream': {
    text: 'Whether the records are also written to a log in Redis, for all gateways together. In `strict` mode a call waits until Redis has its record. Needs a `store` in Redis; see [replicas](replicas.md).',
    example: true,
  },
  'audit.values': { text: 'Whether the values of arguments and search queries are recorded too.', example: true },

  log: { text: 'Logs on stderr, one line of JSON for each event; see [deploy.md](deploy.md#logs).' },
  'log.access': {
    text: 'Whether each HTTP request is logged on stderr as a line of JSON: client, principal, method, tool, status and time, and why a login was refused; see [deploy.md](deploy.md#logs).',
    example: true,
  },
  'log.audit': { text: 'Whether each record of the audit log is written to stderr too.', example: true },

  traces: {
    text: 'Whether each call makes a span of OpenTelemetry. It needs the package `@opentelemetry/api`; see [deploy.md](deploy.md#traces).',
    example: true,
  },
  shared: {
    text: 'Whether all clients of this user that start `toolcrib serve` over stdio share one gateway.',
    example: true,
  },
  store: {
    text: 'Where the gateway keeps call counts, enabled tools, manifests and the rest of cut results: `file`, `memory`, an address such as `redis://host:6379` ([replicas](replicas.md)), or one of `plugins.stores`. The variable `TOOLCRIB_STORE` takes precedence. The commands `list`, `search` and `tools` have a cache only with `file`.',
    example: 'memory',
  },

  inheritEnv: {
    text: 'The variables of the gateway that servers get: all except the secrets of other servers and of the gateway (`true`), a few that every program needs (`false`), or those few and the names that match the list.',
    example: ['AWS_*', 'KUBECONFIG'],
  },
  people: {
    text: `The variables of each person, by principal (the name of the token, or \`oauth:\` and the name of a company login; \`local\` is the user who runs the gateway), for references such as \`\${person.NAME}\` of servers with \`perPrincipal\`.`,
    example: { alice: { GITHUB_TOKEN: `\${ALICE_GITHUB}` } },
  },
  allowEnv: {
    text: 'Variables that the `env` of your servers may set although they make a program load other code.',
    example: ['NODE_OPTIONS'],
  },

  limits: { text: 'Limits of sizes, times and numbers.' },
  'limits.maxResultTokens': {
    text: 'Results with more tokens are cut, if a listed tool can read the rest.',
    example: 8_000,
    default: MAX_RESULT_TOKENS,
  },
  'limits.maxStarting': {
    text: 'How many servers may start at the same time.',
    example: 4,
    default: MAX_STARTING,
  },
  'limits.perPrincipal': {
    text: 'The limits for the calls of each person; see [team-servers.md](team-servers.md#limits).',
  },
  'limits.perPrincipal.callsPerMinute': {
    text: 'How many calls a person can make per minute; see [team-servers.md](team-servers.md#limits). Further calls fail with `RATE_LIMITED`.',
    example: 600,
    default: 'no limit',
  },
  'limits.perPrincipal.concurrent': {
    text: 'How many calls of a person run at the same time. Further calls wait for at most 30 s, and then fail with `RATE_LIMITED`.',
    example: 10,
    default: 'no limit',
  },
  'limits.perServer': { text: 'The limits for the calls to each server, of all people together.' },
  'limits.perServer.callsPerMinute': {
    text: 'How many calls a server gets per minute. Further calls fail with `RATE_LIMITED`.',
    example: 3_000,
    default: 'no limit',
  },
  'limits.perServer.concurrent': {
    text: 'How many calls to a server run at the same time. Further calls wait for at most 30 s, and then fail with `RATE_LIMITED`.',
    example: 20,
    default: 'no limit',
  },
  'limits.whenStoreIsDown': {
    text: 'With a [Redis store](replicas.md) all gateways count calls together. While Redis is out of reach, `open` lets each gateway count its own calls, and with `closed`, calls that have a limit fail with `LIMITS_UNAVAILABLE`.',
    example: 'closed',
  },
  'limits.maxPeoplePerServer': {
    text: 'How many people can use one server with `perPrincipal` at the same time. A further person takes the place of the one who was idle for the longest time. If all of them have a call in flight, the call fails with `SERVER_BUSY`.',
    example: 20,
    default: MAX_PEOPLE,
  },
  'limits.maxHandles': {
    text: 'How many cut results are kept, so that a caller can read the rest.',
    example: 64,
    default: MAX_HANDLES,
  },
  'limits.maxHandleBytes': {
    text: 'The largest total size of the kept results, in bytes.',
    example: 67_108_864,
    default: MAX_HANDLE_BYTES,
  },
  'limits.maxAuditBytes': {
    text: 'The size in bytes at which a new audit log is started.',
    example: 1_048_576,
    default: MAX_AUDIT_BYTES,
  },
  'limits.callTimeoutMs': {
    text: 'How long a call may take without an answer or progress.',
    example: 120_000,
    default: upstream.callTimeoutMs,
  },
  'limits.startTimeoutMs': {
    text: 'How long a server may take to start and to list its tools.',
    example: 30_000,
    default: upstream.startTimeoutMs,
  },
  'limits.maxMessageBytes': {
    text: 'The size in bytes of the longest message to or from a server, and from a client over stdio.',
    example: 33_554_432,
    default: MAX_MESSAGE_BYTES,
  },
  'limits.maxQuestions': {
    text: 'How many questions (elicitation, sampling) a server may ask in one call. 0 declines all.',
    example: 4,
    default: upstream.maxQuestions,
  },
  'limits.idleMs': {
    text: 'A server process without a call for this time is stopped. If it was started only to list its tools, it is stopped after 30 s at the latest. 0 means never.',
    example: 0,
    default: upstream.idleMs,
  },
  'limits.drainMs': {
    text: 'How long in-flight calls may take after the gateway is told to stop.',
    example: 5_000,
    default: DEFAULT_DRAIN_MS,
  },
  'limits.sharedIdleMs': {
    text: 'How long a shared gateway keeps running after its last client has left.',
    example: 300_000,
  },

  discovery: { text: 'The servers, and how their tools are shown.' },
  'discovery.enabled': { text: '`false` serves no servers.', example: false },
  'discovery.strategy': {
    text: 'How tools are shown; see [strategies.md](strategies.md).',
    example: 'categories',
    default: '`gateway`',
  },
  'discovery.strategyOptions': { text: 'The options of the strategy.', example: { listing: 'hidden' } },
  'discovery.cache': { text: 'The cached lists of tools.' },
  'discovery.cache.enabled': {
    text: 'Whether the tool lists of servers are kept in the `store`, so that they are known after a restart.',
    example: false,
  },
  'discovery.cache.ttl': {
    text: 'The age in seconds at which a stored list is out of date. It is still used, while its server is asked for a new one.',
    example: 600,
  },
  'discovery.search': { text: 'The search for tools; see [search.md](search.md).' },
  'discovery.search.ranker': {
    text: 'The ranker of searches: `bm25f`, `bm25`, `words`, or one of `plugins.rankers`; see [search.md](search.md). The indexes of `bm25f` and `bm25` are cached.',
    example: 'bm25',
    default: '`bm25f`',
  },
  'discovery.search.learn': {
    text: 'Whether tools that are called more often come first among equally relevant tools.',
    example: false,
  },
  'discovery.passthrough': {
    text: 'Whether the prompts and resources of the servers are served too.',
    example: true,
  },
  'discovery.pinning': {
    text: 'What happens to a tool that has changed since it was pinned: `warn` marks it, `block` refuses it until `toolcrib pins approve`, `off` compares nothing.',
    example: 'block',
  },
  'discovery.listWaitMs': {
    text: 'How long requests wait for a server that has not listed its tools yet. The time is counted from the first start of the server; for a call of one of its tools, from the call.',
    example: 1_000,
  },
  'discovery.servers': {
    text: 'The servers: an object by name, or a list of servers with a `name`.',
    example: { github: { command: 'npx', args: ['-y', 'github-mcp'] } },
  },
  'discovery.sources': {
    text: 'Configs of MCP clients to import servers from.',
    example: [{ type: 'cursor' }],
    default: 'none; without a config file, all clients of the user',
  },
  'discovery.sources[].type': {
    text: 'The name of the client, or `custom` for a JSON, YAML or TOML file with `servers` or `mcpServers`.',
    example: 'claude-desktop',
  },
  'discovery.sources[].path': {
    text: 'A file to read.',
    example: './servers.yaml',
    default: 'the files that the client itself uses',
  },
  'discovery.sources[].scope': {
    text: 'Which files of the client to read: those of the user, or those of the current folder, which need an approval.',
    example: 'project',
    default: '`user`',
  },
  'discovery.toolRules': {
    text: 'Rules that enable, disable and tag tools, with at most 1,000 patterns in total; see [Rules](gateway.md#rules).',
    example: [{ pattern: '*delete*', enabled: false }],
  },
  'discovery.toolRules[].pattern': {
    text: 'Globs or `/regex/flags` for the names of tools; a leading `!` excludes.',
    example: ['*issue*', '!*delete*'],
    default: 'all tools of `server`',
  },
  'discovery.toolRules[].server': {
    text: 'The name of the server that the rule is for, or a pattern for the names of servers.',
    example: 'github',
    default: 'all servers',
  },
  'discovery.toolRules[].enabled': {
    text: 'Whether matching tools are enabled.',
    example: false,
    default: '`true`, if the rule has neither `tags` nor `category`',
  },
  'discovery.toolRules[].tags': { text: 'Tags for matching tools.', example: ['issues'] },
  'discovery.toolRules[].category': {
    text: 'The category of matching tools, unless the author of a tool sets one.',
    example: 'tracking',
  },

  [`${SERVER}.name`]: {
    text: 'The name of a server in a list. In an object, the key is the name and this is the title.',
    example: 'github',
  },
  [`${SERVER}.title`]: { text: 'A name for people.', example: 'GitHub' },
  [`${SERVER}.description`]: { text: 'What the server is for, in one sentence.', example: 'Issues and pull requests' },
  [`${SERVER}.connection`]: {
    text: 'The keys of the connection in an object, instead of next to the other keys of the server.',
    example: { type: 'http', url: 'https://mcp.example.com/mcp' },
  },
  [`${SERVER}.enabled`]: { text: '`false` does not serve this server.', example: false, default: true },
  [`${SERVER}.timeoutMs`]: {
    text: 'How long a call may take without an answer or progress.',
    example: 30_000,
    default: '`limits.callTimeoutMs`',
  },
  [`${SERVER}.idleMs`]: {
    text: 'The server is stopped after this time without a call. 0 means never.',
    example: 0,
    default:
      '`limits.idleMs`. If that is not set: 10 minutes for a program and with `perPrincipal`, never for another server with a `url`',
  },
  [`${SERVER}.tools`]: {
    text: 'Tools to show until the server has listed its own.',
    example: [{ name: 'search', description: 'Searches the web' }],
  },
  [`${SERVER}.tools[].name`]: { text: 'The name of the tool.', example: 'search' },
  [`${SERVER}.tools[].description`]: { text: 'The description of the tool.', example: 'Searches the web' },
  [`${SERVER}.tools[].inputSchema`]: {
    text: 'The JSON Schema of the arguments.',
    example: { type: 'object', properties: { query: { type: 'string' } } },
  },
  [`${SERVER}.includeContext`]: {
    text: 'Whether `includeContext` of sampling requests of the server reaches the client.',
    example: true,
    default: false,
  },
  [`${SERVER}.perPrincipal`]: {
    text: 'Whether each person has a process or connection, variables and a login of their own; see [team-servers.md](team-servers.md). By default such a process inherits only basic variables.',
    example: true,
    default: false,
  },
  [`${SERVER}.type`]: {
    text: 'The transport: `stdio`, `http` (Streamable HTTP) or `sse`.',
    example: 'http',
    default: 'from `command` or `url`',
  },
  [`${SERVER}.command`]: { text: 'The program that starts the server.', example: 'npx' },
  [`${SERVER}.args`]: { text: 'The arguments of the program.', example: ['-y', 'github-mcp'] },
  [`${SERVER}.env`]: {
    text: `Variables for the program. References such as \`\${NAME}\` are replaced at the start.`,
    example: { TOKEN: `\${GITHUB_TOKEN}` },
  },
  [`${SERVER}.envFile`]: { text: 'A file with more variables as `NAME=value` lines.', example: './github.env' },
  [`${SERVER}.cwd`]: {
    text: 'The folder that the program runs in.',
    example: '~/projects/site',
    default: 'the current folder of the gateway',
  },
  [`${SERVER}.inheritEnv`]: {
    text: 'The variables of the gateway that this server gets.',
    example: false,
    default: '`inheritEnv` of the config',
  },
  [`${SERVER}.allowEnv`]: {
    text: 'Variables that `env` and `envFile` may set although they make a program load other code.',
    example: ['NODE_OPTIONS'],
  },
  [`${SERVER}.url`]: { text: 'The address of a server over HTTP.', example: 'https://mcp.example.com/mcp' },
  [`${SERVER}.headers`]: {
    text: 'Headers for every request to the server.',
    example: { Authorization: `Bearer \${EXAMPLE_TOKEN}` },
  },
  [`${SERVER}.auth`]: {
    text: 'How to log in to a server over HTTP, if it needs more than its address; see [logins.md](logins.md).',
  },
  [`${SERVER}.auth.grant`]: {
    text: '`authorization_code`: a person logs in. `client_credentials`: the gateway logs in by itself, with `clientId` and `clientSecret`. See [logins.md](logins.md).',
    example: 'client_credentials',
    default: '`authorization_code`',
  },
  [`${SERVER}.auth.clientId`]: {
    text: 'The id of a client that is registered at the authorization server.',
    example: 'build-server',
  },
  [`${SERVER}.auth.clientSecret`]: { text: 'The secret of the registered client.', example: `\${MCP_CLIENT_SECRET}` },
  [`${SERVER}.auth.clientMetadataUrl`]: {
    text: 'The address of a client id metadata document, instead of a registration.',
    example: 'https://example.com/client.json',
  },
  [`${SERVER}.auth.scopes`]: {
    text: 'The rights to ask for.',
    example: ['read'],
    default: 'those that the server names',
  },
  [`${SERVER}.auth.issuer`]: {
    text: 'The only authorization server to accept. Required for `client_credentials`.',
    example: 'https://login.example.com',
  },
  [`${SERVER}.auth.redirectPort`]: {
    text: 'The port of this machine to which a login redirects. Set it if the client is registered with a fixed port.',
    example: 8765,
    default: 'any free port',
  },
  [`${SERVER}.serverUrl`]: { text: "Windsurf's name for `url`.", example: 'https://mcp.example.com/mcp' },
  [`${SERVER}.httpUrl`]: { text: "Gemini's name for `url`.", example: 'https://mcp.example.com/mcp' },
  [`${SERVER}.disabled`]: { text: '`true` does not serve this server.', example: true, default: false },
  [`${SERVER}.enabledTools`]: {
    text: 'Only these tools are enabled, and those that a rule of `toolRules` enables by their own names.',
    example: ['search_issues'],
  },
  [`${SERVER}.includeTools`]: { text: 'The same as `enabledTools`.', example: ['search_issues'] },
  [`${SERVER}.disabledTools`]: {
    text: 'These tools are disabled, unless a rule of `toolRules` enables them by their own names.',
    example: ['delete_repository'],
  },
  [`${SERVER}.excludeTools`]: { text: 'The same as `disabledTools`.', example: ['delete_repository'] },
  [`${SERVER}.alwaysAllow`]: {
    text: 'Some MCP clients use this key. The gateway ignores it.',
    example: ['search_issues'],
  },
  [`${SERVER}.autoApprove`]: {
    text: 'Some MCP clients use this key. The gateway ignores it.',
    example: ['search_issues'],
  },
  [`${SERVER}.trust`]: { text: 'Some MCP clients use this key. The gateway ignores it.', example: true },
}
