// What the gateway must do, as data. Scenarios cite the ids with `covers`; ../coverage.test.ts sees that each is cited.

export interface GatewayRequirement {
  /** Permanent: a scenario, a commit or a bug report may name it. */
  readonly id: string
  /** The seed document it comes from, or the issue that adds to it. */
  readonly seed: '001' | '002' | '003' | 'issue 3'
  readonly text: string
}

const seed002 = {
  // The five tools
  'MT-1': 'a client sees exactly list_mcp_servers, search_tools, list_tools, get_tool_details and execute_tool',
  'MT-2': 'the five cost fewer than 600 tokens, however many servers are behind them',
  'MT-3': 'neither the listing nor a search carries schemas: details are loaded when they are asked for',

  // list_mcp_servers
  'SV-1': 'without a parameter it lists every configured server with name, description, toolCount and status',
  'SV-2': 'a server that cannot be reached is disconnected, and all others go on',

  // search_tools
  'SE-1': 'free text finds tools of all servers by their names and descriptions',
  'SE-2': 'a result has server, tool, summary, relevance and, where rules give it any, tags',
  'SE-3': 'with a server only its own tools are searched',
  'SE-4': 'limit caps the number of results, which is 10 where nothing is said',
  'SE-5': 'results are sorted by relevance, from 1 down to 0',
  'SE-6': 'an exact match of the name weighs more than a partial match, and that more than a match of a tag',
  'SE-7': 'a glob or a /regex/ filters tools by name',

  // list_tools
  'LT-1': 'it lists the tools of one server with name, summary, enabled and tags',
  'LT-2': 'disabled tools are listed only with includeDisabled, as enabled: false',

  // get_tool_details
  'TD-1': 'it gives the description and, of each parameter, name, type, description and whether it is required',
  'TD-2': 'it gives examples whose parameters the tool accepts',

  // execute_tool
  'XT-1': 'it runs a tool of any server and gives success and result',
  'XT-2': 'a tool that fails gives TOOL_EXECUTION_ERROR with its message, the server and the tool',
  'XT-3': 'a server or a tool that does not exist is refused',
  'XT-4': 'only tools that the rules enable are executed',
  'XT-5': 'what a server streams is passed on: all progress, in order, before the result',
  'XT-6': 'every execution is logged for audit',

  // Rules
  'TR-1': '* matches anything, also within a name: *github*, github_*, *_issue',
  'TR-2': '/regex/flags follows its flags: without i letter case counts, ^ and $ are the ends of the name',
  'TR-3': 'a word boundary in a regex does not fall before or after an underscore',
  'TR-4': '!pattern takes out of its own rule what the other patterns put in; alone it matches all the rest',
  'TR-5': 'a rule with a server is about the tools of that server alone',
  'TR-6': 'the first rule that matches decides, and the tags of all that match add up',
  'TR-7': 'example 1: with * enabled every tool is available',
  'TR-8': 'example 2: with rules that enable, only what they name is enabled, and what they disable is blocked',
  'TR-9': 'example 3: a * before other rules is the default and not the end of them',
  'TR-10': 'example 4: regexes enable some and disable others',

  // Configuration
  'CO-1': 'servers are read from the formats of Docker MCP, Claude Desktop and Windsurf',
  'CO-2': 'servers are read from custom YAML: the key is the name, name the title, tools are known without a start',
  'CO-3': 'several sources are merged and filtered by one set of rules',
  'CO-4':
    'the first of ~/.toolcrib/config and the XDG folder is in force; a config of the current folder is not unless approved',
  'CO-5': 'a TypeScript config with a discovery section is read',
  'CO-6': 'without any configuration there are no servers and no tools, and the gateway says so',

  // Caching
  'CA-1': 'what is known of servers is used for the TTL, and asked for again after it',
  'CA-2': 'the tools of one server are asked for again when it says that they changed, and when it is started anew',
  'CA-3': 'the answer to a search is never an old one',

  // Errors
  'ER-1': 'a server that cannot be started is reported with the reason, and the log says so',
  'ER-2': 'a tool that is not found is answered with similar ones, or with tools that its server does have',
  'ER-3': 'a config is checked when it is read: the message is specific, and what is usable is used',

  // Numbers
  'NU-1': 'a search costs some 200 tokens: half of the answers at most 250, none more than 450',
  'NU-2': 'the details of a tool cost some 100 tokens: half of them at most 150',
  'NU-3': 'the list of servers comes within 50 ms, a search within 100, details within 50',
  'NU-4': 'a changed configuration is in force within 500 ms',
  'NU-5': 'executing a tool adds less than 500 ms to what the tool takes',
  'NU-6': '100 servers and 1,000 tools are nothing special; 10,000 tools are supported, in a few servers or in many',

  // The worked example
  'WX-1': 'a file is read and an issue filed with nothing but what search and details answered',
  'WX-2': 'the whole session costs a few per cent of what listing all tools would, once',
} as const

const issue3 = {
  // Being started
  'GO-1': 'the program without a word, its input a pipe, serves the gateway over stdio',
  'GO-2': 'with nothing configured the bundled example servers can be served, with 60 tools and more',
  'GO-3': 'over HTTP it prints servers, tools, the tokens without and with it, its address and what to paste',
  'GO-4': 'what one tool of an example server creates another one lists',

  // Sources
  'UP-1': 'servers over stdio, Streamable HTTP and SSE, of both protocol eras',
  'UP-2': 'a malformed tool is kept out alone and reported; the rest of the list stays',
  'UP-3': 'the pages of a list are followed',
  'UP-4': 'a server that says its list changed is asked again, and no other is',

  // Lifecycle
  'LC-1': 'list, search and details start nothing where the manifests are warm',
  'LC-2': 'manifests are on disk for this user alone, and none is written with the cache off',
  'LC-3': 'an idle server is stopped, and started again by the next call',
  'LC-4': 'one process of a server serves all sessions',
  'LC-5': 'killing the gateway leaves none of its servers running, nor what they have started',
  'LC-6': 'a gateway that ends takes its servers with it, also those that do not want to go',
  'LC-7': 'a server that crashes in a call fails that call alone, and is started again for the next',
  'LC-8': 'a call is repeated by itself only where the tool is marked read-only or idempotent',
  'LC-9': 'no more servers start at the same time than allowed',
  'LC-10': 'the protocol era of a server is found out once and remembered',
  'LC-11': 'after a failed start a server is left alone for a while, and the answer says for how long',
  'LC-12': 'errors quote the end of what a server that died has printed',
  'LC-13': 'one server that hangs delays nothing but what is asked of it',
  'LC-14': 'whatever asks for a server of which nothing is known yet waits a moment for it',

  // Configuration
  'CF-1': 'servers may be a list or a record; one that is switched off is not served, nor any with discovery off',
  'CF-2': 'references to variables, with or without a default, stand in env, headers, args and urls',
  'CF-3': 'a variable that is not set is named in an error of that server alone',
  'CF-4': 'every supported client format is imported as a source',
  'CF-5': "a client's own allow and deny lists carry over as rules",
  'CF-6': 'comments and trailing commas are accepted, and ~ is the home folder',
  'CF-7': 'without a config the files of the user are imported by themselves, those of the project are not',
  'CF-8':
    'servers come before sources, the first of a name keeps it and a different second one is served under another name and reported',
  'CF-9': 'the gateway never imports itself, and takes no other program for itself',
  'CF-10': 'a valid edit is in force at once: clients are told, calls under way finish, servers that stay keep running',
  'CF-11': 'an invalid edit is reported and changes nothing',
  'CF-13': 'a change to secrets.env is in force at once, for the servers that refer to it',
  'CF-12': 'a wrong config is reported with the file, the place in it, what was expected and what was found',

  // Rules
  'RU-1': 'a disabled tool is in no list, count, search or suggestion',
  'RU-2': 'TOOL_DISABLED names the rule',

  // The five tools
  'FT-1': 'list_mcp_servers takes search, offset and limit (20), and says how many there are in total',
  'FT-2': 'a server has a state, and a reason beside it when it failed',
  'FT-3': 'list_tools gives pages of 25 with total and hasMore',
  'FT-4': 'get_tool_details describes up to ten tools at once, with an error in the place of each it does not know',
  'FT-5': 'get_tool_details gives the whole JSON Schema with schema: true',
  'FT-6': 'a tool may be named server:tool, or alone where only one server has it; else the servers are listed',
  'FT-7':
    'the description of search_tools names the servers, those with most tools first, and stays the same while they do',
  'FT-8': 'the best hits carry a signature, required parameters first',
  'FT-9': 'a search that finds nothing says why, and what comes nearest',
  'FT-10': 'a search returns nothing that a call would refuse',
  'FT-11': 'bad arguments are refused before anything is sent, with each field and the parameter list',
  'FT-12': 'arguments that came as the text of an object are decoded',
  'FT-13': 'every unknown name is answered with similar ones',

  // Results
  'RS-1': 'text, images, audio, resources, links and _meta arrive as the server sent them',
  'RS-2': 'structured content is the result; text is parsed where it is JSON; other blocks have none',
  'RS-3': 'elicitation and sampling reach the client and its answers the server, in all four pairings of eras',
  'RS-4': 'a client that answers nothing is not asked, and the call still ends',
  'RS-5': 'a cancelled call is cancelled at its server',
  'RS-6': 'a call that takes too long is TIMEOUT',
  'RS-7': 'a server that cannot be started is SERVER_UNAVAILABLE',
  'RS-8': 'log messages of a server reach the client that called it',

  // Long results
  'LR-1': 'a result over the limit is cut, says so in its last block, and names a handle',
  'LR-2': 'read on by its handle to the end, it is the whole result, nothing missing and nothing twice',
  'LR-3': 'a handle is good for its own caller alone',
  'LR-4': 'handles are bounded in number: the oldest goes first',

  // Audit and secrets
  'AU-1': 'each attempt leaves one line, the refused ones too: time, caller, server, tool, shape, hash, outcome, sizes',
  'AU-2': 'the values of arguments are not in it, unless asked for',
  'AU-3': 'the log is rotated by size',
  'AU-4': 'the value of a reference is nowhere: not in state, cache, log, answers or errors',
  'AU-5': 'several gateways of one user write into one log, and no line is lost',

  // HTTP
  'HG-1': 'a token is made on the first start, for this user alone, and nothing is answered without it',
  'HG-2': 'named tokens are the callers, and theirs are the only ones',
  'HG-3': 'a token that is taken out of the config while the gateway runs is no longer good',

  // Prompts and resources
  'PT-1': 'with passthrough prompts and resources of servers are offered under the name of their server',
  'PT-2': 'without it there are none',
} as const

const seed001 = {
  'MG-1': 'under manage a client sees manage_tools alone at first, and then what it has enabled',
  'MG-2': 'a change is told to the clients whose list it is, once for each call, and no change to nobody',
  'MG-3': 'two principals never see what the other has enabled; a modern one finds its own again after a restart',
  'MG-4': 'a call of a tool that is not enabled says how to enable it, and leaves a line in the audit log',
} as const

const seed003 = {
  'CG-1': 'a core that is learned has the tools that were called most before the start, and does not shift after it',
  'CG-2': 'clients are told at the start how tools are found, in either era',
} as const

export const gatewayRequirements: readonly GatewayRequirement[] = [
  ...Object.entries(seed001).map(([id, text]) => ({ id, seed: '001' as const, text })),
  ...Object.entries(seed003).map(([id, text]) => ({ id, seed: '003' as const, text })),
  ...Object.entries(seed002).map(([id, text]) => ({ id, seed: '002' as const, text })),
  ...Object.entries(issue3).map(([id, text]) => ({ id, seed: 'issue 3' as const, text })),
]
