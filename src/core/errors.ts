// The table of error codes: message, fix, JSON-RPC code and exit code. Codes are permanent; docs/errors.md lists them.

import { type CommandError, type FailureResult, failure, type ProxiedExtras } from './result.ts'
import { cutLongText, quoteList, shellWord } from './text.ts'
import type { ValidationIssue } from './tool.ts'

interface ErrorRow {
  // `never` lets each row declare its own data. `fail` and `raise` below check the data per code.
  readonly message: (data: never) => string
  readonly fix: (data: never) => string
  /** The JSON-RPC error code, for the protocol client. */
  readonly rpc: number
  /** The exit code of the command line. */
  readonly exit: number
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean | ((data: never) => boolean)
}

const INVALID_PARAMS = -32602
const INTERNAL = -32603
const SERVER = -32000

// The codes that several rows share. docs/cli.md explains the exit codes.
const WRONG_CALL = { rpc: INVALID_PARAMS, exit: 1 } as const
const NOT_FOUND = { rpc: INVALID_PARAMS, exit: 2 } as const
const REFUSED = { rpc: INVALID_PARAMS, exit: 4 } as const
const SETUP_FAULT = { rpc: INTERNAL, exit: 2 } as const
const NO_ACCESS = { rpc: SERVER, exit: 2 } as const
const TOOL_FAILED = { rpc: INTERNAL, exit: 3 } as const
const FAILED = { rpc: SERVER, exit: 3 } as const
const TEMPORARY = { ...FAILED, retryable: true } as const

export const errors = {
  COMMAND_NOT_FOUND: {
    message: (d: { name: string }) => `No command named '${shorten(d.name)}'`,
    fix: (d: { similar: readonly string[]; discover: string }) =>
      `${didYouMean(d.similar.slice(0, 1))}Use ${d.discover} to list all commands.`,
    ...NOT_FOUND,
  },
  COMMAND_NOT_EXPOSED: {
    message: (d: { name: string }) => `Command '${d.name}' is registered but this server does not expose it`,
    fix: (d: { discover: string }) =>
      `Use ${d.discover} to list the commands that can be called; the server's author exposes one by adding it to \`commands\`.`,
    ...REFUSED,
  },
  CONTEXT_MISMATCH: {
    message: (d: { name: string; active: string; contexts: readonly string[] }) =>
      `Command '${d.name}' is not available in context '${d.active}'; it belongs to ${quoteList(d.contexts)}`,
    fix: (d: { contexts: readonly string[]; enter: string | undefined }) =>
      `${d.enter === undefined ? 'Pass' : `Call ${d.enter} with context '${d.contexts[0] ?? ''}', or pass`} context: '${d.contexts[0] ?? ''}' with the call.`,
    ...REFUSED,
  },
  CONTEXT_NOT_FOUND: {
    message: (d: { context: string }) => `No context named '${shorten(d.context)}'`,
    fix: (d: { contexts: readonly string[] }) =>
      d.contexts.length === 0
        ? 'This server has no contexts; leave `context` out.'
        : `Use one of ${quoteList(d.contexts)}.`,
    ...NOT_FOUND,
  },
  NO_SESSION: {
    message: (d: { name: string }) =>
      `'${d.name}' needs a session, but this protocol version has no sessions; nothing was changed`,
    fix: (d: { tools: readonly string[] }) =>
      `Pass \`context\` with each call instead: ${quoteList(d.tools)} accept it.`,
    ...WRONG_CALL,
  },
  VALIDATION_ERROR: {
    message: (d: { name: string; issues: readonly ValidationIssue[] }) =>
      `Invalid input for '${d.name}': ${describeIssues(d.issues)}`,
    fix: (d: { hint: string }) => d.hint,
    ...WRONG_CALL,
  },
  INVALID_GROUPED_CALL: {
    message: (d: { group: string; reason: string }) => `Cannot call '${d.group}': ${d.reason}`,
    fix: (d: { group: string; actions: readonly string[]; similar: readonly string[] }) =>
      `${didYouMean(d.similar.slice(0, 1))}${d.actions.length === 0 ? 'None of its actions is available now.' : `Call '${d.group}' with {"action": …, "params": {…}}; its actions are ${quoteList(d.actions, 60)}.`}`,
    ...WRONG_CALL,
  },
  INVALID_BATCH_REQUEST: {
    message: (d: { reason: string }) => `The batch cannot be run: ${d.reason}`,
    fix: () => 'Send {"commands": [{"command": "name", "input": {…}}, …]} with 1 to 100 entries.',
    ...WRONG_CALL,
  },
  INVALID_PIPE_REFERENCE: {
    message: (d: { step: number; reference: string; reason: string }) =>
      `Step ${d.step}: '${shorten(d.reference)}' ${d.reason}`,
    fix: () =>
      'Refer to $prev, $first, $input, $steps[n] or an alias of an earlier step; write $$ for a text that starts with $.',
    ...WRONG_CALL,
  },
  BUILTIN_NOT_ALLOWED: {
    message: (d: { name: string; where: string }) => `'${d.name}' is a built-in and cannot run inside ${d.where}`,
    fix: (d: { name: string }) => `Call '${d.name}' on its own, and put only commands into a batch or a pipe.`,
    ...WRONG_CALL,
  },
  PIPELINE_TIMEOUT: {
    message: (d: { timeoutMs: number }) => `The pipe did not finish within ${d.timeoutMs} ms; this step has no result`,
    fix: () =>
      'Raise options.timeoutMs, or send fewer steps. If this step changes something, check first whether it did.',
    ...TEMPORARY,
  },
  BATCH_TIMEOUT: {
    message: (d: { timeoutMs: number }) =>
      `The batch did not finish within ${d.timeoutMs} ms; this command was stopped`,
    fix: () =>
      'Raise options.timeout, or send fewer commands. If this command changes something, check first whether it did.',
    ...TEMPORARY,
  },
  BATCH_INCOMPLETE: {
    message: (d: { failed: number; skipped: number; total: number }) =>
      `${d.failed} of ${d.total} ${d.total === 1 ? 'command' : 'commands'} failed, and ${d.skipped} did not run`,
    fix: () => 'Read `results`, then send again only the commands that did not succeed.',
    ...FAILED,
  },
  STEP_SKIPPED: {
    message: (d: { reason: string }) => `Not run: ${d.reason}`,
    fix: () => 'Correct the cause, then send this entry again.',
    ...FAILED,
  },
  TIMEOUT: {
    message: (d: { name: string; afterMs: number }) =>
      `'${d.name}' did not finish within ${d.afterMs} ms and was stopped`,
    fix: () =>
      'Ask for less in one call, or try again later. If the call changes something, check first whether it did.',
    ...TEMPORARY,
  },
  CANCELLED: {
    message: (d: { name: string }) => `'${d.name}' was cancelled before it finished`,
    fix: () => 'Call it again if you still need the result. If the call changes something, check first whether it did.',
    rpc: SERVER,
    exit: 130,
  },
  RATE_LIMITED: {
    // `scope` is absent for the limit of the middleware `rateLimit`.
    message: (d: {
      name: string
      limit: number
      windowMs?: number | undefined
      scope?: 'principal' | 'server' | undefined
      server?: string | undefined
    }) => {
      const calls = d.limit === 1 ? '1 call' : `${d.limit} calls`
      const amount = `${calls} ${d.windowMs === undefined ? 'at the same time' : `in ${durationText(d.windowMs)}`}`
      const limit =
        d.scope === 'server'
          ? `the limit of server '${d.server}' for all callers, ${amount} (limits.perServer),`
          : d.scope === 'principal'
            ? `your limit of ${amount} (limits.perPrincipal)`
            : `its limit of ${amount}`
      return `'${d.name}' was not run: ${limit} is used up${d.windowMs === undefined ? ', and too many calls wait already or this call waited too long' : ''}`
    },
    fix: (d: { retryAfterMs: number }) => `Wait ${wholeSeconds(d.retryAfterMs)} and call again.`,
    ...TEMPORARY,
  },
  LIMITS_UNAVAILABLE: {
    message: (d: { name: string }) =>
      `'${d.name}' was not run: the store with the counts of calls is out of reach, and calls are refused until it is back`,
    fix: (d: { retryAfterMs: number }) =>
      `Wait ${wholeSeconds(d.retryAfterMs)} and call again. If that does not help, tell the operator of this gateway to check its Redis.`,
    ...TEMPORARY,
  },
  COMMAND_EXECUTION_ERROR: {
    message: (d: { name: string; reason: string }) => `'${d.name}' failed: ${d.reason}`,
    fix: () => 'Check the input. If it is correct, the command has a fault: its author finds the reason in the log.',
    ...TOOL_FAILED,
  },
  INVALID_RESULT: {
    message: (d: { name: string; reason: string }) => `'${d.name}' ran, but its answer cannot be used: ${d.reason}`,
    fix: (d: { server?: string; todo?: string }) =>
      `${d.todo ?? (d.server === undefined ? 'Its handler must return success(data) or failure({ code, message })' : `Server '${d.server}' is at fault, not the arguments`)}; do not repeat a call that changes something.`,
    ...TOOL_FAILED,
  },
  INVALID_COMMAND: {
    message: (d: { name: string; reason: string }) => `Command '${shorten(d.name)}' cannot be defined: ${d.reason}`,
    fix: (d: { todo: string }) => d.todo,
    ...SETUP_FAULT,
  },
  DUPLICATE_COMMAND: {
    message: (d: { name: string }) => `Two commands are named '${d.name}'`,
    fix: () => 'Rename one of them; names are unique in a server.',
    ...SETUP_FAULT,
  },
  UNKNOWN_STRATEGY: {
    message: (d: { name: string }) => `No tool strategy named '${shorten(d.name)}'`,
    fix: (d: { names: readonly string[] }) => `Use one of ${quoteList(d.names)}.`,
    rpc: INTERNAL,
    exit: 1,
  },
  INVALID_OPTIONS: {
    message: (d: { what: string; reason: string }) => `Invalid ${d.what}: ${d.reason}`,
    fix: (d: { todo: string }) => d.todo,
    rpc: INTERNAL,
    exit: 1,
  },
  AUTH_REQUIRED: {
    // Two cases: our own HTTP endpoint without tokens, and an upstream server that needs a login.
    message: (d: { host: string } | { server: string; reason: string }) =>
      'host' in d
        ? `Serving on '${d.host}' without \`auth\` would let anyone who reaches it run commands`
        : `Server '${d.server}' is not available: ${d.reason}`,
    fix: (d: { host: string } | { command: string }) =>
      'host' in d
        ? 'Set `auth: { tokens: { name: token } }`, or serve on 127.0.0.1.'
        : `Tell the user to run \`${d.command}\`, then call again; calling again does not help before that.`,
    ...NO_ACCESS,
  },
  LOGIN_FAILED: {
    message: (d: { server: string; reason: string; isLogout?: boolean | undefined }) =>
      d.isLogout === true
        ? `The login to server '${d.server}' was not removed: ${d.reason}`
        : `The login to server '${d.server}' failed: ${d.reason}`,
    fix: (d: { command: string }) => `Correct the cause, then run \`${d.command}\` again.`,
    ...FAILED,
  },
  UNAUTHORIZED: {
    message: () => 'The request carries no valid bearer token',
    fix: () => "Send 'Authorization: Bearer <token>' with a valid token. The operator of the server can give you one.",
    ...NO_ACCESS,
  },
  TOKENS_UNAVAILABLE: {
    // With a reason, the command `toolcrib token` failed. `isCompanyLogin`: the token is one of `http.oauth`.
    message: (d: { reason?: string | undefined; isCompanyLogin?: boolean }) => {
      if (d.reason !== undefined) return `The tokens cannot be read or changed: ${d.reason}`
      return d.isCompanyLogin === true
        ? 'The token cannot be checked: the keys of the authorization server cannot be read'
        : 'The token cannot be checked: the store with the tokens cannot be read'
    },
    // `mayBeStored`: the name of a new token that could be neither read again nor deleted.
    fix: (d: { reason?: string | undefined; isCompanyLogin?: boolean; mayBeStored?: string }) => {
      if (d.reason === undefined) {
        const what =
          d.isCompanyLogin === true ? 'the authorization server' : 'the store; the log of the gateway has the reason'
        return `Send the request again in a few seconds. If that does not help, tell the operator to check ${what}.`
      }
      const check = 'Check the store that `store` in the config or TOOLCRIB_STORE names'
      return d.mayBeStored === undefined
        ? `Nothing was changed. ${check}, then run the command again.`
        : `The token '${d.mayBeStored}' may be stored already. ${check}, run \`toolcrib token revoke ${shellWord(d.mayBeStored)}\`, then run the command again.`
    },
    ...TEMPORARY,
  },
  HOST_NOT_ALLOWED: {
    message: (d: { host: string }) =>
      `Requests for the host '${shorten(d.host)}' are refused: it is not a name of this server`,
    fix: (d: { host: string }) =>
      `If it is one, set "http": {"allowedHosts": [${JSON.stringify(shorten(d.host))}]} in the configuration of the server.`,
    ...NO_ACCESS,
  },
  ORIGIN_NOT_ALLOWED: {
    message: (d: { origin: string }) => `Requests from pages of '${shorten(d.origin)}' are refused`,
    fix: (d: { origin: string }) =>
      d.origin.includes('://')
        ? `If you trust these pages, set "http": {"allowedOrigins": [${JSON.stringify(shorten(d.origin))}]} in the configuration of the server.`
        : `${d.origin === 'null' ? 'The page has no origin, for example because it is a local file. ' : ''}Serve the page from an http or https address, or use a program that is not a browser.`,
    ...NO_ACCESS,
  },
  INSUFFICIENT_SCOPE: {
    // With a principal, the request was for /metrics.
    message: (d: { principal?: string | undefined }) =>
      d.principal === undefined
        ? 'The access token is valid, but none of its scopes gives access to this server'
        : `The token of '${shorten(d.principal)}' is valid, but may not read the metrics`,
    fix: (d: { principal?: string | undefined }) =>
      d.principal === undefined
        ? 'Ask the administrator of the gateway which scope you need, then log in again with that scope.'
        : 'Use the token of a name in http.metrics.principals of the gateway or, without that setting, a token with all rights.',
    ...NO_ACCESS,
  },
  SESSION_NOT_FOUND: {
    message: () => 'The session is unknown or has ended',
    fix: () => 'Send an initialize request to start a new one.',
    rpc: -32001,
    exit: 3,
  },
  TOO_MANY_SESSIONS: {
    // Without `maxOwn`, one login can have all sessions.
    message: (d: { max: number; maxOwn?: number | undefined }) =>
      `The server has too many open sessions: it allows ${d.max}${d.maxOwn === undefined ? '' : `, and ${d.maxOwn} of them for one login`}`,
    fix: () => 'End a session with an HTTP DELETE request, or try again later.',
    ...TEMPORARY,
  },
  HEADER_MISMATCH: {
    message: (d: { reason: string }) => `The request's headers and body disagree: ${d.reason}`,
    fix: () => 'Send each parameter that the schema marks with x-mcp-header in its Mcp-Param header too, unchanged.',
    rpc: -32020,
    exit: 1,
  },
  CLIENT_CAPABILITY_MISSING: {
    message: (d: { name: string; capabilities: readonly string[] }) =>
      `'${d.name}' needs a client that declares ${quoteList(d.capabilities)}`,
    fix: () => 'Use a client that declares this, or another command.',
    rpc: -32021,
    exit: 3,
  },
  SHUTTING_DOWN: {
    message: () => 'The server is stopping and takes no new requests',
    fix: (d: { hasBegun: boolean }) =>
      d.hasBegun
        ? 'The request may have run. If it changes something, check whether it did before you send it again.'
        : 'The request did not run. Send it again when the server has started again.',
    ...TEMPORARY,
  },
  SERVER_NOT_FOUND: {
    message: (d: { server: string }) => `No server named '${shorten(d.server)}'`,
    fix: (d: { similar: readonly string[]; list: string }) =>
      `${didYouMean(d.similar.slice(0, 1))}Use ${d.list} to list the servers.`,
    ...NOT_FOUND,
  },
  TOOL_NOT_FOUND: {
    message: (d: { name: string; server: string | undefined }) =>
      d.server === undefined
        ? `No tool named '${shorten(d.name)}'`
        : `Server '${d.server}' has no tool '${shorten(d.name)}'`,
    fix: (d: { similar: readonly string[]; find: string }) => `${didYouMean(d.similar)}Use ${d.find} to find tools.`,
    ...NOT_FOUND,
  },
  TOOL_AMBIGUOUS: {
    message: (d: { name: string; servers: readonly string[] }) =>
      `'${shorten(d.name)}' is a tool of ${d.servers.length} servers: ${quoteList(d.servers, 10)}`,
    fix: (d: { name: string; servers: readonly string[] }) =>
      `Name the server too: server '${d.servers[0] ?? ''}', tool '${shorten(d.name)}'.`,
    ...WRONG_CALL,
  },
  TOOL_DISABLED: {
    message: (d: {
      id: string
      rule: number | undefined
      owner?: string | undefined
      isUnreadable?: boolean | undefined
    }) => {
      const ofOwner = d.owner === 'project' ? " of the project's config" : ''
      if (d.rule === undefined) return `'${d.id}' is disabled because no rule${ofOwner} enables it`
      return d.isUnreadable === true
        ? `'${d.id}' is disabled, because rule ${d.rule} of toolRules${ofOwner} cannot be read`
        : `'${d.id}' is disabled by rule ${d.rule} of toolRules${ofOwner}`
    },
    fix: (d: { isUnreadable?: boolean | undefined }) =>
      d.isUnreadable === true
        ? 'Use another tool; the operator of this gateway has to correct the rule: `toolcrib config validate` shows what is wrong.'
        : 'Use another tool; the operator of this gateway can enable it in toolRules.',
    ...REFUSED,
  },
  TOOL_CHANGED: {
    message: (d: { server: string; name: string; kind: string; parts?: readonly string[] | undefined }) => {
      const tool = `'${shorten(d.name)}' of the server '${d.server}'`
      if (d.kind === 'unknown') return `${tool} is refused, because the pins of the server cannot be read`
      if (d.kind === 'new') return `${tool} is new: the server added it after its tools were approved`
      const what = d.parts === undefined ? '' : ` (${d.parts.join(', ')})`
      return `${tool} has changed since it was approved${what}`
    },
    fix: (d: { server: string; name: string; kind: string }) =>
      d.kind === 'unknown'
        ? 'Use another tool, and tell the operator of this gateway that the pins cannot be read; the log of the gateway has the reason.'
        : `Use another tool, and tell the user to run \`toolcrib pins diff ${shellWord(`${d.server}:${d.name}`)}\` and, to allow it, \`toolcrib pins approve ${shellWord(`${d.server}:${d.name}`)}\`.`,
    ...REFUSED,
  },
  HANDLE_NOT_FOUND: {
    message: (d: { handle: string }) => `No result is kept under the handle '${shorten(d.handle)}'`,
    fix: () =>
      'Kept results expire, and only their caller can read them. Call the tool again, unless the call changes something.',
    ...NOT_FOUND,
  },
  CATEGORY_NOT_FOUND: {
    message: (d: { name: string }) => `No category named '${shorten(d.name)}'`,
    fix: (d: { similar: readonly string[]; names: readonly string[] }) =>
      `${didYouMean(d.similar.slice(0, 1))}${d.names.length === 0 ? 'There are none now.' : `The categories are ${quoteList(d.names)}.`}`,
    ...NOT_FOUND,
  },
  TOOL_NOT_ENABLED: {
    message: (d: { name: string }) => `'${d.name}' is not enabled; nothing was called`,
    fix: (d: { name: string; find: string }) =>
      `Call ${d.find} with {"action": "enable", "tools": "${d.name}"}, then call it again.`,
    ...REFUSED,
  },
  TOO_MANY_TOOLS: {
    message: (d: { total: number; max: number }) =>
      `${d.total} tools cannot be enabled: at most ${d.max} tools can be enabled at the same time; nothing was changed`,
    fix: (d: { max: number }) => `Enable only the tools that you need now, ${d.max} or fewer.`,
    ...WRONG_CALL,
  },
  SERVER_UNAVAILABLE: {
    message: (d: { server: string; reason: string }) => `Server '${d.server}' is not available: ${d.reason}`,
    // `remedy` replaces the advice to run `toolcrib doctor`: if the server is not in the configuration, or if the step
    // that the user has to take is known.
    fix: ({ server, retryAfterMs, remedy }: { server: string; retryAfterMs?: number; remedy?: string }) => {
      const other = remedy ?? `use another server; \`toolcrib doctor ${shellWord(server)}\` shows more`
      // Without `retryAfterMs`, a retry does not help.
      if (retryAfterMs === undefined) return `${other.charAt(0).toUpperCase()}${other.slice(1)}.`
      return `${retryAfterMs > 0 ? `Call again in ${wholeSeconds(retryAfterMs)} at the earliest` : 'Call again'}, or ${other}.`
    },
    ...FAILED,
    retryable: ({ retryAfterMs }: { retryAfterMs?: number }) => retryAfterMs !== undefined,
  },
  SERVER_BUSY: {
    message: (d: { server: string; people: number }) =>
      `Server '${d.server}' is busy: ${d.people} ${d.people === 1 ? 'person uses' : 'people use'} it now, which is its limit`,
    fix: (d: { retryAfterMs: number }) => `Wait ${wholeSeconds(d.retryAfterMs)} and call again, or use another server.`,
    ...TEMPORARY,
  },
  SERVER_LOST: {
    message: (d: { server: string; name: string; reason: string }) =>
      `Server '${d.server}' was lost while '${d.name}' was running: ${d.reason}`,
    fix: () => 'The call may have run in part. If it changes something, check whether it did before you call again.',
    ...FAILED,
  },
  GATEWAY_LOST: {
    message: (d: { method: string }) => `The gateway ended before it answered '${shorten(d.method)}'`,
    fix: () => 'The request may have run. If it changes something, check whether it did before you send it again.',
    ...FAILED,
  },
  TOOL_EXECUTION_ERROR: {
    // The text of the tool itself, with nothing added: the model acts on it.
    message: (d: { reason: string }) => d.reason,
    fix: (d: { server: string; name: string }) =>
      `'${d.name}' of server '${d.server}' returned this error: correct the arguments, or try another tool.`,
    ...TOOL_FAILED,
  },
  AUDIT_FAILED: {
    // The path and the reason go to the operator, in the log of the gateway.
    message: (d: { name: string }) => `'${shorten(d.name)}' was not run: the audit log cannot be written`,
    fix: () =>
      'Tell the operator of this gateway to free disk space or make the log writable; the log of the gateway has the reason.',
    ...TEMPORARY,
  },
  INVALID_ARGUMENTS: {
    message: (d: { reason: string }) => d.reason,
    fix: (d: { command: string; todo?: string | undefined }) =>
      d.todo ?? `Run \`${d.command} --help\` to see what it takes.`,
    ...WRONG_CALL,
  },
  NOT_CONFIRMED: {
    message: ({ hasChanged }: { hasChanged?: boolean }) =>
      `${hasChanged === true ? 'This change was not made' : 'Nothing was changed'}: you did not confirm`,
    fix: () => 'Answer with y at a terminal, or pass --yes.',
    rpc: SERVER,
    exit: 1,
  },
  CONFIG_INVALID: {
    message: (d: { file: string; reason: string }) => `The configuration ${d.file} cannot be used: ${d.reason}`,
    // `given` is the value of --config. Without it `config validate` would check another file.
    fix: (d: { given?: string | undefined }) =>
      `Run \`toolcrib config validate${d.given === undefined ? '' : ` --config ${shellWord(d.given)}`}\` to see every problem, and correct them.`,
    ...SETUP_FAULT,
  },
  CONFIG_MISSING: {
    message: (d: { file: string }) => `There is no config file ${d.file}`,
    fix: (d: { given: string }) =>
      `Check the path after --config. \`toolcrib import --write --config ${shellWord(d.given)}\` creates the file with the servers of your clients.`,
    ...SETUP_FAULT,
  },
  NOT_APPROVED: {
    message: (d: { file: string; reason: string }) => `${d.file} is not used: ${d.reason}`,
    fix: (d: { todo: string }) => d.todo,
    rpc: SERVER,
    exit: 2,
  },
  CONFIG_UNWRITABLE: {
    message: (d: { file: string; reason: string }) => `${d.file} was not changed: ${d.reason}`,
    fix: (d: { todo: string }) => d.todo,
    ...SETUP_FAULT,
  },
  NO_GATEWAY: {
    message: () => 'No gateway of this user is running',
    fix: () => 'Start one with `toolcrib serve --http`, or restart the client that starts it.',
    rpc: SERVER,
    exit: 2,
  },
} as const satisfies Record<string, ErrorRow>

/** A code in an error of toolcrib itself. Commands can return other codes. */
export type ErrorCode = keyof typeof errors

type Rows = typeof errors
type DataOf<F> = F extends (data: infer D) => string ? (unknown extends D ? object : D) : never
export type ErrorData<C extends ErrorCode> = DataOf<Rows[C]['message']> & DataOf<Rows[C]['fix']>

/** Builds the error of a code, with its message and fix filled in. */
export function errorOf<C extends ErrorCode>(
  code: C,
  data: ErrorData<C>,
  details?: Readonly<Record<string, unknown>>,
): CommandError {
  const row: ErrorRow = errors[code]
  const ownData = data as never // ErrorData<C> is the data that this row declares, checked at the call
  const retryable = typeof row.retryable === 'function' ? row.retryable(ownData) : row.retryable
  return {
    code,
    message: row.message(ownData),
    suggestion: row.fix(ownData),
    ...(retryable === undefined ? {} : { retryable }),
    ...(details === undefined ? {} : { details }),
  }
}

/** Builds an expected failure as a result value. */
export function fail<C extends ErrorCode>(
  code: C,
  data: ErrorData<C>,
  extras: ProxiedExtras & { readonly details?: Readonly<Record<string, unknown>> } = {},
): FailureResult {
  const { details, ...rest } = extras
  return failure(errorOf(code, data, details), rest)
}

/**
 * Thrown for a mistake in the program that uses this library, such as a bad definition or a bad option. The command
 * line also throws it for expected failures. A call never returns it as a result.
 *
 * @example
 * ```ts
 * try {
 *   createMcpServer({ name: 'todos', version: '1.0.0', commands: [add, add] })
 * } catch (error) {
 *   if (error instanceof ToolcribError) console.error(error.code, error.suggestion) // DUPLICATE_COMMAND
 * }
 * ```
 */
export class ToolcribError extends Error {
  override readonly name = 'ToolcribError'
  /** A code of docs/errors.md. */
  readonly code: ErrorCode
  /** The message without the suggestion. */
  readonly what: string
  /** The change that the program needs. Empty if there is no suggestion. */
  readonly suggestion: string

  constructor(code: ErrorCode, { message, suggestion = '' }: CommandError) {
    super(suggestion === '' ? message : `${message}. ${suggestion}`)
    this.code = code
    this.what = message
    this.suggestion = suggestion
  }
}

export function raise<C extends ErrorCode>(code: C, data: ErrorData<C>): never {
  throw new ToolcribError(code, errorOf(code, data))
}

function describeIssues(issues: readonly ValidationIssue[]): string {
  const shown = issues.slice(0, 10).map((issue) => issue.message)
  return `${shown.join('; ')}${issues.length > 10 ? `; and ${issues.length - 10} more` : ''}`
}

function durationText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`
}

function wholeSeconds(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / 1_000))} s`
}

/** Ends with a space. Empty without names. */
function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? '' : `Did you mean ${quoteList(names)}? `
}

// A name from outside may be a megabyte long. The message shows only its start.
function shorten(name: string): string {
  return cutLongText(name, 80)
}
