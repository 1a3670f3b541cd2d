// The requirements of the gateway. Scenarios cite their ids with `covers`; ../coverage.test.ts checks that.

export interface GatewayRequirement {
  /** Ids are permanent, because scenarios, commits and bug reports cite them. */
  readonly id: string
  /** The number of the specification that it comes from, or the issue that adds to it. */
  readonly origin: '001' | '002' | '003' | 'issue 3'
  readonly text: string
}

const spec002 = {
  // The five tools
  'MT-1': 'a client sees exactly list_mcp_servers, search_tools, list_tools, get_tool_details and execute_tool',
  'MT-2': 'the five tools cost fewer than 600 tokens for any number of servers',
  'MT-3': 'neither the listing nor a search contains schemas: details are loaded on request',

  // list_mcp_servers
  'SV-1': 'without a parameter it lists every configured server with name, description, toolCount and status',
  'SV-2': 'a server that cannot be reached is disconnected, and all others still work',

  // search_tools
  'SE-1': 'free text finds tools of all servers by their names and descriptions',
  'SE-2': 'a result has server, tool, summary, relevance and, if rules assign any, tags',
  'SE-3': 'with a server only its own tools are searched',
  'SE-4': 'limit is the maximum number of results; the default is 10',
  'SE-5': 'results are sorted by relevance, from 1 down to 0',
  'SE-6': 'an exact match of the name ranks above a partial match, and a partial match above a match of a tag',
  'SE-7': 'a glob or a /regex/ filters tools by name',

  // list_tools
  'LT-1': 'it lists the tools of one server with name, summary, enabled and tags',
  'LT-2': 'disabled tools are listed only with includeDisabled, as enabled: false',

  // get_tool_details
  'TD-1': 'it returns the description and, for each parameter, name, type, description and whether it is required',
  'TD-2': 'it returns examples that the tool accepts',

  // execute_tool
  'XT-1': 'it runs a tool of any server and returns success and result',
  'XT-2': 'a tool that fails returns TOOL_EXECUTION_ERROR with its message, the server and the tool',
  'XT-3': 'a server or a tool that does not exist is refused',
  'XT-4': 'only tools that the rules enable are executed',
  'XT-5': 'all progress of a server is passed on, in order, before the result',
  'XT-6': 'every execution is logged for audit',

  // Rules
  'TR-1': '* matches anything, even within a name: *github*, github_*, *_issue',
  'TR-2': '/regex/flags uses its flags: without i it is case-sensitive, ^ and $ are the ends of the name',
  'TR-3': 'a word boundary in a regex does not fall before or after an underscore',
  'TR-4': '!pattern excludes tools from its own rule; a rule with only such patterns matches all other tools',
  'TR-5': 'a rule with a server applies only to the tools of that server',
  'TR-6': 'the first matching rule decides, and the tags of all matching rules are combined',
  'TR-7': 'example 1: with * enabled every tool is available',
  'TR-8': 'example 2: with enabling rules, only the tools they match are enabled, and disabling rules block tools',
  'TR-9': 'example 3: a * before other rules is the default, and the other rules still apply',
  'TR-10': 'example 4: regexes enable some tools and disable others',

  // Configuration
  'CO-1': 'servers are read from the formats of Docker MCP, Claude Desktop and Windsurf',
  'CO-2':
    'servers are read from custom YAML: a key is the name of a server, the field `name` is its title, and declared tools are known without a start',
  'CO-3': 'several sources are merged and filtered by one set of rules',
  'CO-4':
    'the first of ~/.toolcrib/config and the XDG folder is used; a config of the current folder is used only if approved',
  'CO-5': 'a TypeScript config with a discovery section is read',
  'CO-6': 'without any configuration there are no servers and no tools, and the gateway reports it',

  // Caching
  'CA-1': 'the cached tools of a server are used for the TTL, and requested again after it',
  'CA-2': 'the tools of a server are requested again after list_changed, and after each start',
  'CA-3': 'a search never returns an outdated answer',

  // Errors
  'ER-1': 'a server that cannot be started is reported with the reason, in the answer and in the log',
  'ER-2': 'for an unknown tool, the answer suggests similar tools or lists tools of the server',
  'ER-3': 'a config is checked when it is read: the message is specific, and the valid parts are used',

  // Numbers
  'NU-1': 'a search costs about 200 tokens: half of the answers at most 250, all at most 450',
  'NU-2': 'the details of a tool cost about 100 tokens: half of them at most 150',
  'NU-3': 'the list of servers comes within 50 ms, a search within 100, details within 50',
  'NU-4': 'a changed configuration is applied within 500 ms',
  'NU-5': 'executing a tool adds less than 500 ms to the time of the tool',
  'NU-6': '100 servers with 1,000 tools are a normal size; 10,000 tools are supported, in a few servers or in many',

  // The worked example
  'WX-1': 'a client reads a file and creates an issue, using only the answers of search and details',
  'WX-2': 'the whole session costs a few per cent of listing all tools once',
} as const

const issue3 = {
  // Start
  'GO-1': 'the program without arguments, with a pipe as stdin, serves the gateway over stdio',
  'GO-2': 'without a configuration the bundled example servers can be served, with at least 60 tools',
  'GO-3':
    'over HTTP the gateway prints servers, tools, the tokens without and with the gateway, its address and the client configuration',
  'GO-4': 'an example server lists the records that its tools create',

  // Sources
  'UP-1': 'servers over stdio, Streamable HTTP and SSE, of both protocol eras, are supported',
  'UP-2': 'a malformed tool is skipped and reported; the rest of the list is used',
  'UP-3': 'all pages of a list are read',
  'UP-4': 'after list_changed only the list of that server is requested again',

  // Lifecycle
  'LC-1': 'list, search and details start no server if the manifests are cached',
  'LC-2': 'manifests on disk are readable only by this user, and none is written with the cache disabled',
  'LC-3': 'an idle server is stopped, and started again by the next call',
  'LC-4': 'one process of a server serves all sessions',
  'LC-5': 'when the gateway is killed, its servers and their child processes end',
  'LC-6': 'when the gateway ends, all its servers end, even those that ignore SIGTERM',
  'LC-7': 'a server that crashes during a call fails only that call, and is started again for the next',
  'LC-8': 'a call is repeated automatically only if the tool is marked read-only or idempotent',
  'LC-9': 'no more servers start at the same time than allowed',
  'LC-10': 'the protocol era of a server is detected once and cached',
  'LC-11': 'after a failed start a server is not started again for a while, and the answer gives the time to wait',
  'LC-12': 'the error of a server that died contains the end of its stderr',
  'LC-13': 'a server that hangs delays only requests that need it',
  'LC-14': 'a request for a server without a cached list waits a moment for it',

  // Configuration
  'CF-1': 'servers may be a list or a record; a disabled server is not served, and no server with discovery disabled',
  'CF-2': 'references to variables, with or without a default, work in env, headers, args and urls',
  'CF-3': 'an unset variable is named in an error of its server, and other servers work',
  'CF-4': 'every supported client format is imported as a source',
  'CF-5': "a client's own allow and deny lists are applied as rules",
  'CF-6': 'comments and trailing commas are accepted, and ~ means the home folder',
  'CF-7': 'without a config the user-level files of clients are imported, those of the project are not',
  'CF-8':
    'servers have precedence over sources; a second, different server with the same name is served under another name and reported',
  'CF-9': 'the gateway never imports itself, and imports programs that only look like it',
  'CF-10':
    'a valid edit is applied at once: clients are notified, calls in flight finish, unchanged servers keep running',
  'CF-11': 'an invalid edit is reported and changes nothing',
  'CF-13': 'a change to secrets.env is applied at once to the servers that refer to it',
  'CF-12': 'a config error is reported with the file, the path in it, and the expected and found values',

  // Rules
  'RU-1': 'a disabled tool does not appear in any list, count, search or suggestion',
  'RU-2': 'TOOL_DISABLED names the rule',

  // The five tools
  'FT-1': 'list_mcp_servers takes search, offset and limit (20), and returns the total',
  'FT-2': 'a server has a state, and a reason beside it when it failed',
  'FT-3': 'list_tools returns pages of 25 with total and hasMore',
  'FT-4': 'get_tool_details describes up to ten tools at once, with an error for each unknown one',
  'FT-5': 'get_tool_details returns the whole JSON Schema with schema: true',
  'FT-6': 'a tool may be named server:tool, or by its name if only one server has it; otherwise the servers are listed',
  'FT-7':
    'the description of search_tools names the servers, those with most tools first, and changes only if the servers change',
  'FT-8': 'the best hits have a signature, required parameters first',
  'FT-9': 'a search that finds nothing gives the reason and the closest tools',
  'FT-10': 'a search returns only tools that can be called',
  'FT-11': 'bad arguments are refused before the call is sent, with each field and the parameter list',
  'FT-12': 'arguments that are sent as JSON text are decoded',
  'FT-13': 'for every unknown name, the answer suggests similar ones',

  // Results
  'RS-1': 'text, images, audio, resources, links and _meta arrive as the server sent them',
  'RS-2': 'structured content is the result; text that is JSON is parsed; other blocks have no structured result',
  'RS-3':
    'elicitation and sampling reach the client, and its answers reach the server, in all four combinations of eras',
  'RS-4': 'a client without the capability is not asked, and the call still ends',
  'RS-5': 'a cancelled call is cancelled at its server',
  'RS-6': 'a call that takes too long is TIMEOUT',
  'RS-7': 'a server that cannot be started is SERVER_UNAVAILABLE',
  'RS-8': 'log messages of a server reach the client that called it',

  // Long results
  'LR-1': 'a result over the limit is cut, with a notice and a handle in its last block',
  'LR-2': 'the parts that a handle returns are the whole result, without gaps or repetitions',
  'LR-3': 'a handle can be used only by its own caller',
  'LR-4': 'the number of handles is bounded: the oldest is removed first',

  // Audit and secrets
  'AU-1':
    'each attempted call, even a refused one, writes one line: time, caller, server, tool, shape, hash, outcome, sizes',
  'AU-2': 'the log contains the values of arguments only with audit.values',
  'AU-3': 'the log is rotated by size',
  'AU-4': 'the value of a reference is not in state, cache, log, answers or errors',
  'AU-5': 'several gateways of one user write to one log, and no line is lost',

  // HTTP
  'HG-1': 'the first start creates a token that only this user can read, and requests without it are refused',
  'HG-2': 'the names of the tokens in the config are the principals, and only these tokens are accepted',
  'HG-3': 'a token that is removed from the config while the gateway runs is refused',

  // Prompts and resources
  'PT-1': 'with passthrough, prompts and resources of servers are offered with the name of their server',
  'PT-2': 'without passthrough there are no prompts and resources',
} as const

const spec001 = {
  'MG-1': 'under manage a client first sees only manage_tools, and then also the tools that it has enabled',
  'MG-2': 'a call that changes a list sends one notification to the clients of that list, and other calls send none',
  'MG-3': 'a principal never sees the enabled tools of another; in the modern era they stay enabled after a restart',
  'MG-4': 'the error for a tool that is not enabled explains how to enable it, and the call is in the audit log',
} as const

const spec003 = {
  'CG-1': 'a learned core has the tools that were called most before the start, and does not change afterwards',
  'CG-2': 'the instructions explain how to find tools, in either era',
} as const

export const gatewayRequirements: readonly GatewayRequirement[] = [
  ...Object.entries(spec001).map(([id, text]) => ({ id, origin: '001' as const, text })),
  ...Object.entries(spec003).map(([id, text]) => ({ id, origin: '003' as const, text })),
  ...Object.entries(spec002).map(([id, text]) => ({ id, origin: '002' as const, text })),
  ...Object.entries(issue3).map(([id, text]) => ({ id, origin: 'issue 3' as const, text })),
]
