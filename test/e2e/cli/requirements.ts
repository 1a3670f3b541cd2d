// What the command line must do, as data. Scenarios cite the ids with `covers`; ../coverage.test.ts sees that each is cited.

export interface CliRequirement {
  /** Permanent: a scenario, a commit or a bug report may name it. */
  readonly id: string
  /** The seed document it comes from, or the issue that adds to it. */
  readonly seed: '002' | 'issue 4'
  readonly text: string
}

const seed002 = {
  // list
  'CLI-LIST': 'list shows the configured servers with name, number of tools and description, under how many there are',
  'CLI-LIST-STATUS': 'list --status shows the state of each, by asking a running gateway, else that it is known',
  'CLI-LIST-TOOLS': 'list --tools shows the number of tools, disabled ones and tokens of each',
  'CLI-LIST-MARK': 'a server that cannot be used has a cross, the word Disconnected and the reason',
  'CLI-LIST-EXIT': 'list exits with 0, 1 for wrong arguments, 2 for a configuration that cannot be used',

  // search
  'CLI-SEARCH': 'search shows numbered results with server:tool, relevance in percent, description and tags',
  'CLI-SEARCH-SERVER': 'search --server looks at the tools of one server',
  'CLI-SEARCH-LIMIT': 'search --limit caps the results, which are 10 where nothing is said',
  'CLI-SEARCH-EXIT': 'search exits with 0, 1 for wrong arguments, 2 where nothing was found, with the reason',

  // tools
  'CLI-TOOLS': 'tools shows the tools of one server with their descriptions, under how many are enabled',
  'CLI-TOOLS-ALL': 'tools --all also shows disabled tools, marked as such; nothing else does',
  'CLI-TOOLS-TAGS': 'tools --tags shows tags',
  'CLI-TOOLS-EXIT': 'tools exits with 0, 1 for wrong arguments, 2 for a server that does not exist',

  // inspect
  'CLI-INSPECT': 'inspect shows name, description and of each parameter its type, whether it is required, and its text',
  'CLI-INSPECT-EXAMPLES': 'inspect --examples shows calls that the tool accepts',
  'CLI-INSPECT-EXIT': 'inspect exits with 0, 1 for wrong arguments, 2 for a server or tool that does not exist',

  // config
  'CLI-CONFIG-SHOW':
    'config show prints status, cache, sources with why each is not used, rules, and counts of servers and tools',
  'CLI-CONFIG-VALIDATE': 'config validate names every mistake with its place',
  'CLI-CONFIG-SOURCES': 'config sources lists the files that servers come from, and those that were looked for',
  'CLI-CONFIG-RELOAD': 'config reload has the configuration read again',
  'CLI-CONFIG-EXIT': 'config exits with 0, 1 for wrong arguments, 2 for a configuration error',

  // execute
  'CLI-EXECUTE': 'execute shows which tool runs, that it succeeded, and its result',
  'CLI-EXECUTE-ERROR': 'a tool that fails is shown with code, message, server and tool',
  'CLI-EXECUTE-JSON': 'execute --json prints {success, result} or {success, error}',
  'CLI-EXECUTE-EXIT':
    'execute exits with 0, 1 for wrong arguments, 2 for a server or tool that does not exist, 3 where the tool failed, 4 where a rule disables it',
  'CLI-EXECUTE-RULES':
    'only enabled tools are executed, with arguments that fit the schema, and every call is logged for audit',
} as const

const issue4 = {
  // The seed's commands
  'CLI-PAIR': 'server:tool works in one word everywhere',
  'CLI-EXIT-ARGS': 'arguments that fail the schema of the tool are exit code 1',
  'CLI-EXIT-UNAVAILABLE': 'a server that is unavailable, or too slow, is exit code 3',
  'CLI-EXIT-CTRL-C': 'Ctrl-C is exit code 130',
  'CLI-ARGS': '--args reads JSON, @file.json and - for stdin; key=value pairs are typed by the schema',
  'CLI-ARGS-ASK': 'without arguments and on a terminal each required parameter is asked for',
  'CLI-ASKED':
    'what a server asks while its tool runs is put to the person at the terminal; elsewhere it is declined and told',
  'CLI-STREAM': '--stream shows progress as it comes, a bar where the total is known',
  'CLI-OUT': 'content that is no text is saved with --out, under names that are free, and named',
  'CLI-CANCEL': 'Ctrl-C cancels the call at its server, and says so',
  'CLI-INSPECT-NESTED': 'nested parameters are indented; choices, defaults and limits are shown; examples are valid',
  'CLI-RELOAD-ALL':
    'config reload reaches every running gateway of this user, or says that none runs, with exit code 2',

  // More that people need
  'CLI-SERVE': 'serve takes --http, --host, --port, --strategy and --config, and refuses what it cannot use',
  'CLI-SERVE-TOKENS': 'a token that the config gives to a principal is never printed; who has one is said',
  'CLI-SERVE-NO-FILE': 'serve refuses a --config file that is not there, with exit code 2 and its name',
  'CLI-STATUS':
    'toolcrib alone, on a terminal, shows servers per source, tools, tokens without and with it, and what to type next',
  'CLI-STDIO': 'toolcrib alone, started by a client, serves it',
  'CLI-IMPORT': 'import shows what was found where, with exact command lines, and changes nothing',
  'CLI-IMPORT-SECRETS': 'import --write turns secrets into references, with the values in a file of mode 0600',
  'CLI-IMPORT-ASK': 'import asks before it writes, and needs --yes where nobody can answer',
  'CLI-IMPORT-FROM': 'import --from takes only the clients that are named',
  'CLI-IMPORT-PROJECT': "a project's file is used only once it is approved, as it was then",
  'CLI-IMPORT-NAMES':
    'two different servers of one name are both served and taken over, and list, config validate, import and install say so',
  'CLI-TRUST-CODE':
    'a config that the folder brings along runs no code before it is approved, whatever is asked of the program',
  'CLI-TRUST-LIVE':
    'a running gateway never loads such a config unapproved, drops it when it changes, and takes it up when it is approved',
  'CLI-TRUST-SECRET': 'an unapproved config is sent no variable, and code is sent only those that its text names',
  'CLI-TRUST-RULES': "a project cannot enable what the user's rules disable, nor replace the user's servers",
  'CLI-TRUST-KEYS': "http, audit, store and limits of a project are refused, and never break the user's config",
  'CLI-TRUST-NOTE':
    'status, doctor, config sources, config validate and serve say once that a file is not approved, and what to type',
  'CLI-TRUST-ASK': 'trust shows command lines, addresses, variables and code, and approves only what is confirmed',
  'CLI-TRUST-LIST': 'trust --list and --revoke show and end approvals',
  'CLI-TRUST-OWNER': 'a file that another user owns or can write is refused, with the command that mends it',
  'CLI-TRUST-SWAP': 'what runs is the text that was approved, whatever is put in its place meanwhile',
  'CLI-IMPORT-DRY': 'import --dry-run shows what --write would change, and changes nothing',
  'CLI-IMPORT-NOTHING': 'import says how to go on where no client has servers',
  'CLI-INSTALL': 'install puts the gateway in place of the servers it fronts, with a backup and a diff first',
  'CLI-INSTALL-COMMAND':
    'the command that install writes starts the gateway from where it was installed; --command chooses another',
  'CLI-INSTALL-DRY': 'install --dry-run and a question not answered with yes change nothing',
  'CLI-INSTALL-KEEPS': 'install keeps what the user added to our entry',
  'CLI-INSTALL-VARIABLES': 'install and import name the variables that no client asks for any more',
  'CLI-INSTALL-PROJECT': "install --project changes the project's file",
  'CLI-INSTALL-EVERY': 'install and uninstall work for every client, and custom is said to have none',
  'CLI-UNINSTALL': 'uninstall brings back what was replaced, and loses no edit made since',
  'CLI-DOCTOR': 'doctor starts each server and shows times, protocol, tools and tokens, all and enabled ones',
  'CLI-DOCTOR-FAULTS': 'doctor says what is wrong, what the server printed and what to do, with exit code 3',
  'CLI-STATS': 'stats show tokens saved and net, by the tokenizer, per server and tool, and the break-even',
  'CLI-STATS-CALLS': 'stats show calls, errors and latency from the audit log',
  'CLI-STATS-FORCE': 'stats count only what concerns the servers of the config in force',
  'CLI-COMPLETION': 'completion prints scripts for bash, zsh and fish that complete servers and tools',
  'CLI-JSON': '--json on every command prints one JSON document and nothing else on stdout',
  'CLI-JSON-STDIO': 'over stdio, --json is refused with the reason',
  'CLI-QUIET': '--quiet prints only the answer itself',
  'CLI-VERBOSE': '--verbose says more, on stderr',
  'CLI-NO-COLOR': 'NO_COLOR turns colours off on a terminal',
  'CLI-FORCE-COLOR': 'FORCE_COLOR turns them on in a pipe',
  'CLI-COLOR-PIPE': 'there are no colour codes in a pipe',
  'CLI-WIDTH': 'lines are broken at the width of the terminal, and never in a pipe',
  'CLI-NARROW': 'tables and messages fit a terminal of 60 and of 40 columns',
  'CLI-NAMES': 'errors name tools and commands as they are typed',
  'CLI-DISABLED-RULE': 'a tool that is disabled is shown with the rule, and the file that it stands in',
  'CLI-NO-SERVERS': 'where no server is configured, every command says how to add some',
  'CLI-STATUS-FAILED': 'the status screen tells servers that failed from those that were never asked',
  'CLI-SLOW-START': 'tools, inspect and execute wait for a server as long as its start may take',
  'CLI-ONE-FIGURE': 'the tokens of one list are the same figure wherever they are shown',
  'CLI-PROGRESS': 'long work shows progress on stderr on a terminal, and nothing otherwise',
  'CLI-STDERR': 'errors go to stderr: what, why, next step',
  'CLI-UNSET-FILE': 'errors of servers that lack a variable name secrets.env, and what is added to it counts at once',
  'CLI-VALIDATE-UNSET': 'config validate names variables that are not set, with file and path',

  // Must hold
  'CLI-GOLDEN':
    'what each command prints for people and as JSON is pinned, over real servers, with a terminal and without',
  'CLI-CACHED': 'list, search and tools answer from what is known and start no server',
  'CLI-HOME-EMPTY': 'every command works with an empty home',
  'CLI-HOME-LOCKED': 'every command works with a home that cannot be written',
  'CLI-HOME-CLIENTS': "every command works with a home that has every client's config, on every platform",
  'CLI-HELP': 'every command answers --help with an example that works',
} as const

export const cliRequirements: readonly CliRequirement[] = [
  ...Object.entries(seed002).map(([id, text]) => ({ id, seed: '002' as const, text })),
  ...Object.entries(issue4).map(([id, text]) => ({ id, seed: 'issue 4' as const, text })),
]
