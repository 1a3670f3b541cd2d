// The table of metrics: name, type, labels and meaning. docs/deploy.md and the dashboard use the same names.

interface MetricRow {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
}

export const METRICS = {
  calls: {
    name: 'toolcrib_calls_total',
    type: 'counter',
    help: 'Calls of tools. The code is ok, or the code of the error.',
    labels: ['server', 'tool', 'code'],
  },
  callSeconds: {
    name: 'toolcrib_call_duration_seconds',
    type: 'histogram',
    help: 'The time of a call in the gateway and its server.',
    labels: ['server', 'tool'],
  },
  searches: {
    name: 'toolcrib_searches_total',
    type: 'counter',
    help: 'Searches for tools. The outcome is found or nothing.',
    labels: ['outcome'],
  },
  starts: {
    name: 'toolcrib_server_starts_total',
    type: 'counter',
    help: 'Starts of servers. The outcome is ok or failed.',
    labels: ['server', 'outcome'],
  },
  states: {
    name: 'toolcrib_server_state',
    type: 'gauge',
    help: '1 for the current state of a server: known, starting, connected or failed.',
    labels: ['server', 'state'],
  },
  waitingStarts: {
    name: 'toolcrib_starts_waiting',
    type: 'gauge',
    help: 'Servers that wait for their turn to start.',
    labels: [],
  },
  waitingCalls: {
    name: 'toolcrib_calls_waiting',
    type: 'gauge',
    help: 'Calls that wait because of a limit for calls at the same time.',
    labels: [],
  },
  activeRequests: {
    name: 'toolcrib_requests_active',
    type: 'gauge',
    help: 'Requests of clients that are not answered yet.',
    labels: [],
  },
  sessions: {
    name: 'toolcrib_sessions',
    type: 'gauge',
    help: 'Open sessions of clients with protocol 2025-11-25 or older.',
    labels: [],
  },
  storeDegraded: {
    name: 'toolcrib_store_degraded',
    type: 'gauge',
    help: '1 while the shared store is out of reach and the last known state is used.',
    labels: [],
  },
  configVersions: {
    name: 'toolcrib_config_versions',
    type: 'gauge',
    help: 'Different configurations of the gateways that share the store. 1 if all have the same.',
    labels: [],
  },
  responses: {
    name: 'toolcrib_http_responses_total',
    type: 'counter',
    help: 'HTTP responses by status, without probes. 0 is a connection that ended without a response.',
    labels: ['status'],
  },
  refusedLogins: {
    name: 'toolcrib_logins_refused_total',
    type: 'counter',
    help: 'HTTP requests that were refused because of their login, by reason.',
    labels: ['reason'],
  },
  listTokens: {
    name: 'toolcrib_list_tokens_total',
    type: 'counter',
    help: 'Tokens of the lists that clients read at the start of a session (served), and of all their tools (full). The difference is what clients save.',
    labels: ['list'],
  },
} as const satisfies Record<string, MetricRow>
