// The requirements of the command line. Scenarios cite their ids with `covers`; ../coverage.test.ts checks that.

export interface CliRequirement {
  /** Permanent, because a scenario, a commit or a bug report may name it. */
  readonly id: string
  /** The number of the specification, or the issue, that it comes from. */
  readonly origin: '002' | 'issue 4' | 'issue 15'
  readonly text: string
}

const spec002 = {
  // list
  'CLI-LIST': 'list shows the number of servers, and the name, number of tools and description of each',
  'CLI-LIST-STATUS': 'list --status shows the state of each server, from a running gateway or from the cache',
  'CLI-LIST-TOOLS': 'list --tools shows the number of tools, of disabled tools and of tokens per server',
  'CLI-LIST-MARK': 'a server that cannot be used has a cross, the word Disconnected and the reason',
  'CLI-LIST-EXIT': 'list exits with 0, 1 for wrong arguments, 2 for a configuration that cannot be used',

  // search
  'CLI-SEARCH': 'search shows numbered results with server:tool, relevance in percent, description and tags',
  'CLI-SEARCH-SERVER': 'search --server looks at the tools of one server',
  'CLI-SEARCH-LIMIT': 'search --limit caps the results; the default is 10',
  'CLI-SEARCH-EXIT': 'search exits with 0, 1 for wrong arguments, 2 if no tool is found, with the reason',

  // tools
  'CLI-TOOLS': 'tools shows the number of enabled tools, and the tools of one server with their descriptions',
  'CLI-TOOLS-ALL': 'tools --all also shows disabled tools, marked as disabled; no other flag shows them',
  'CLI-TOOLS-TAGS': 'tools --tags shows tags',
  'CLI-TOOLS-EXIT': 'tools exits with 0, 1 for wrong arguments, 2 for a server that does not exist',

  // inspect
  'CLI-INSPECT': 'inspect shows name and description, and the type, required flag and text of each parameter',
  'CLI-INSPECT-EXAMPLES': 'inspect --examples shows calls that the tool accepts',
  'CLI-INSPECT-EXIT': 'inspect exits with 0, 1 for wrong arguments, 2 for a server or tool that does not exist',

  // config
  'CLI-CONFIG-SHOW':
    'config show prints status, cache, sources with the reason if one is not used, rules, and counts of servers and tools',
  'CLI-CONFIG-INIT': 'config init writes a valid config with comments, and never changes an existing one',
  'CLI-CONFIG-VALIDATE': 'config validate reports every error with its path',
  'CLI-CONFIG-SOURCES': 'config sources lists the files that servers come from, and the files that were not found',
  'CLI-CONFIG-RELOAD': 'config reload makes gateways read the configuration again',
  'CLI-CONFIG-EXIT': 'config exits with 0, 1 for wrong arguments, 2 for a configuration error',

  // execute
  'CLI-EXECUTE': 'execute shows which tool runs, that it succeeded, and its result',
  'CLI-EXECUTE-ERROR': 'a tool that fails is shown with code, message, server and tool',
  'CLI-EXECUTE-JSON': 'execute --json prints {success, result} or {success, error}',
  'CLI-EXECUTE-EXIT':
    'execute exits with 0, 1 for wrong arguments, 2 for a server or tool that does not exist, 3 if the tool failed, 4 if a rule disables it',
  'CLI-EXECUTE-RULES':
    'only enabled tools are executed, with arguments that match the schema, and every call is logged for audit',
} as const

const issue4 = {
  // The commands of the specification
  'CLI-PAIR': 'server:tool works in one word everywhere',
  'CLI-EXIT-ARGS': 'arguments that fail the schema of the tool are exit code 1',
  'CLI-EXIT-UNAVAILABLE': 'a server that is unavailable, or too slow, is exit code 3',
  'CLI-EXIT-CTRL-C': 'Ctrl-C is exit code 130',
  'CLI-ARGS': '--args reads JSON, @file.json and - for stdin; key=value pairs are typed by the schema',
  'CLI-ARGS-ASK': 'without arguments, a terminal asks for each required parameter',
  'CLI-ASKED':
    'a person at the terminal answers the questions of a server; without a terminal they are declined with a note',
  'CLI-STREAM': '--stream shows progress events, with a bar if the total is known',
  'CLI-OUT': '--out saves binary content under unused file names, and prints the names',
  'CLI-CANCEL': 'Ctrl-C cancels the call at its server, and prints that',
  'CLI-INSPECT-NESTED': 'nested parameters are indented; choices, defaults and limits are shown; examples are valid',
  'CLI-RELOAD-ALL': 'config reload reaches every running gateway of this user, or exits with 2 if none is running',

  // Further commands
  'CLI-SERVE': 'serve takes --http, --host, --port, --strategy and --config, and refuses invalid values',
  'CLI-SERVE-TOKENS': 'serve prints the principals that have a token in the config, and never the token',
  'CLI-SERVE-NO-FILE': 'serve refuses a --config file that does not exist, with exit code 2 and its name',
  'CLI-STATUS':
    'toolcrib without a command, on a terminal, shows servers per source, tools, tokens without and with the gateway, and the next command',
  'CLI-STDIO': 'toolcrib without a command serves a client that started it',
  'CLI-IMPORT': 'import shows the servers of each file with exact command lines, and changes nothing',
  'CLI-IMPORT-SECRETS': 'import --write turns secrets into references, with the values in a file of mode 0600',
  'CLI-IMPORT-ASK': 'import asks before it writes, and needs --yes without a terminal',
  'CLI-IMPORT-FROM': 'import --from takes only the named clients',
  'CLI-IMPORT-PROJECT': "a project's file is used only after its current text is approved",
  'CLI-IMPORT-NAMES':
    'two different servers with one name are both served and imported, and list, config validate, import and install report it',
  'CLI-TRUST-CODE': 'a config in a folder runs no code before it is approved, with any command',
  'CLI-TRUST-LIVE':
    'a running gateway never loads such a config unapproved, drops it when it changes, and loads it when it is approved',
  'CLI-TRUST-SECRET': 'an unapproved config gets no variable, and code gets only the variables that its text names',
  'CLI-TRUST-RULES':
    "a project cannot enable tools that the user's rules disable, and cannot replace the user's servers",
  'CLI-TRUST-KEYS': "http, audit, store and limits of a project are refused, and do not break the user's config",
  'CLI-TRUST-NOTE':
    'status, doctor, config sources, config validate and serve report once that a file is not approved, with the command to type',
  'CLI-TRUST-ASK': 'trust shows command lines, addresses, variables and code, and approves only after a confirmation',
  'CLI-TRUST-LIST': 'trust --list shows approvals, and trust --revoke ends them',
  'CLI-TRUST-OWNER': 'a file that another user owns or can write is refused, with the command that fixes it',
  'CLI-TRUST-SWAP': 'only the approved text runs, even if the file is replaced in the meantime',
  'CLI-IMPORT-DRY': 'import --dry-run shows what --write would change, and changes nothing',
  'CLI-IMPORT-NOTHING': 'import shows the next steps if no client has servers',
  'CLI-INSTALL': 'install replaces servers with the gateway, and shows a diff and makes a backup first',
  'CLI-INSTALL-COMMAND': 'install writes a command that starts the installed gateway; --command chooses another',
  'CLI-INSTALL-DRY': 'install --dry-run, or an answer other than yes, changes nothing',
  'CLI-INSTALL-KEEPS': 'install keeps what the user added to our entry',
  'CLI-INSTALL-OTHERS': 'a client gets the servers of other clients only if the user agrees',
  'CLI-INSTALL-STAYS': 'a server that would not work behind the gateway stays in its client, with the reason',
  'CLI-PURGE': 'uninstall --all --purge restores every client and removes all folders of Toolcrib, and nothing else',
  'CLI-INSTALL-VARIABLES': 'install and import name the variables that the client no longer asks for',
  'CLI-INSTALL-PROJECT': "install --project changes the project's file",
  'CLI-INSTALL-EVERY': 'install and uninstall work for every client, and refuse custom',
  'CLI-UNINSTALL': 'uninstall restores the replaced servers, and loses no later edit',
  'CLI-DOCTOR': 'doctor starts each server and shows times, protocol, tools and tokens, all and enabled ones',
  'CLI-DOCTOR-FAULTS': 'doctor shows the problem, the output of the server and the fix, with exit code 3',
  'CLI-STATS': 'stats shows saved tokens by server and tool, counted with the tokenizer, and the break-even',
  'CLI-STATS-CALLS': 'stats shows calls, errors and latency from the audit log',
  'CLI-STATS-FORCE': 'stats counts only the servers of the config in force',
  'CLI-COMPLETION': 'completion prints scripts for bash, zsh and fish that complete servers and tools',
  'CLI-JSON': '--json on every command prints one JSON document and nothing else on stdout',
  'CLI-JSON-STDIO': 'over stdio, --json is refused with the reason',
  'CLI-QUIET': '--quiet prints only the answer itself',
  'CLI-VERBOSE': '--verbose prints more details on stderr',
  'CLI-NO-COLOR': 'NO_COLOR turns colours off on a terminal',
  'CLI-FORCE-COLOR': 'FORCE_COLOR turns colours on in a pipe',
  'CLI-COLOR-PIPE': 'there are no colour codes in a pipe',
  'CLI-WIDTH': 'lines are wrapped at the width of the terminal, and never in a pipe',
  'CLI-NARROW': 'tables and messages fit a terminal of 60 and of 40 columns',
  'CLI-NAMES': 'errors name tools and commands as they are typed',
  'CLI-DISABLED-RULE': 'the error for a disabled tool names the rule and its file',
  'CLI-NO-SERVERS': 'if no server is configured, every command shows how to add some',
  'CLI-STATUS-FAILED': 'the status screen separates failed servers from servers that were never started',
  'CLI-SLOW-START': 'tools, inspect and execute wait for a server until its start timeout',
  'CLI-ONE-FIGURE': 'every command shows the same token count for the same list',
  'CLI-PROGRESS': 'long work shows progress on stderr on a terminal, and nothing otherwise',
  'CLI-STDERR': 'errors go to stderr, with the reason and the next step',
  'CLI-UNSET-FILE': 'errors about an unset variable name secrets.env, and a value in it takes effect at once',
  'CLI-VALIDATE-UNSET': 'config validate names unset variables, with file and path',

  // Constraints
  'CLI-GOLDEN':
    'the output of each command, for people and as JSON, is pinned with real servers, with a terminal and without',
  'CLI-CACHED': 'list, search and tools answer from the cache and start no server',
  'CLI-HOME-EMPTY': 'every command works with an empty home',
  'CLI-HOME-LOCKED': 'every command works with a home that cannot be written',
  'CLI-HOME-CLIENTS': "every command works with a home that has every client's config, on every platform",
  'CLI-HELP': 'every command has a --help text with an example that works',
} as const

const issue15 = {
  'CLI-ADD': 'add starts the server, prints how many tools it has, and writes it; a running gateway then serves it',
  'CLI-ADD-FAILS': 'a server that does not start is not written, and its first error line is shown',
  'CLI-ADD-LOGIN': 'a server that needs a login is written, and the output names the login command',
  'CLI-ADD-SECRETS': 'secrets of a new server go to secrets.env, and the config gets references',
  'CLI-ADD-NEW': 'without a config, add creates one and the servers of clients are still served',
  'CLI-EDIT-SERVER': 'remove, enable and disable change one entry and keep the comments of the config',
  'CLI-EDIT-CLIENT': 'disable works for a server of a client without changing the file of the client',
  'CLI-LOGS': 'logs shows the stderr of servers and the reports of gateways, without secrets and control characters',
  'CLI-LOGS-FOLLOW': 'logs --follow prints new lines until Ctrl-C',
} as const

export const cliRequirements: readonly CliRequirement[] = [
  ...Object.entries(spec002).map(([id, text]) => ({ id, origin: '002' as const, text })),
  ...Object.entries(issue4).map(([id, text]) => ({ id, origin: 'issue 4' as const, text })),
  ...Object.entries(issue15).map(([id, text]) => ({ id, origin: 'issue 15' as const, text })),
]
