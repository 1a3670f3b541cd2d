// The requirements of command servers. Scenarios cite their ids with `covers`; coverage.test.ts checks that.

export interface Requirement {
  /** Ids are permanent, because scenarios, commits and bug reports cite them. */
  readonly id: string
  /** The number of the specification that it comes from, or the issue that adds to it. */
  readonly origin: '000' | 'issue 2'
  readonly text: string
}

const spec000 = {
  // FR-1: the lazy strategy
  'FR-1.1': 'createMcpServer takes individual, grouped or lazy as its tool strategy',
  'FR-1.2': 'a server without a strategy is grouped',
  'FR-1.3': 'lazy lists exactly discover, detail, call, batch and pipe',
  'FR-1.4': 'the description of each of the five states its purpose',
  'FR-1.5': 'call, batch and pipe are listed under every strategy',
  'FR-1.6': 'a native tool and afd-call run a command through the same middleware',

  // FR-2: afd-discover
  'FR-2.1': 'without a filter it lists every exposed command, in the order of registration',
  'FR-2.2': 'a category filters the list to its own commands',
  'FR-2.3': 'one tag, given as a string, filters the list to the commands with that tag',
  'FR-2.4': 'with several tags, a command needs only one of them by default',
  'FR-2.5': 'tagMode all filters the list to commands with every tag',
  'FR-2.6': 'a search needs every word, in the name or the description, in any letter case and order',
  'FR-2.7': 'a summary shows whether a command changes state only with includeMutation',
  'FR-2.8': 'a page has 50 commands by default; limit can be 1 to 200',
  'FR-2.9': 'offset skips that many commands, and the pages together contain each command once',
  'FR-2.10': 'hasMore is true exactly while commands remain after the page',
  'FR-2.11': 'total counts all commands, filtered the matching ones, returned those on the page',
  'FR-2.12': 'availableCategories and availableTags cover all commands, with any filter',
  'FR-2.13': 'a summary is a name, a description and a category, without tags',
  'FR-2.14': 'a description is shortened to its first sentence and to 120 characters',
  'FR-2.15': 'the category of a command without one is the first word of its name',
  'FR-2.16': 'the reasoning contains the counts, the category, and the offset of the next page if there is one',
  'FR-2.17': 'the answer has confidence 1 and its execution time',
  'FR-2.18': 'a command must match all filters',
  'FR-2.19': 'commands that are only in a registry are not listed, counted or part of the taxonomy',
  'FR-2.20': 'a search that consists of blanks is ignored',

  // FR-3: afd-detail
  'FR-3.1': 'one name returns a list with one entry',
  'FR-3.2': 'several names return one entry each, in the order of the request',
  'FR-3.3':
    'a found entry has the whole description, category, tags, mutation if it is known, input schema and callable',
  'FR-3.4': 'the other traits of the command (version, time, errors, destructive, prompt, handoff) are in the entry',
  'FR-3.5': 'the input schema is the JSON Schema of what the command accepts',
  'FR-3.6': 'an unknown name returns an entry with COMMAND_NOT_FOUND and the nearest name, and the call succeeds',
  'FR-3.7': 'found and unknown names may be mixed',
  'FR-3.8': 'a registered command that is not exposed is described, and callable is false',
  'FR-3.9': 'the answer has reasoning, confidence and its time',

  // FR-4: afd-call
  'FR-4.1': "it returns the handler's own result without a wrapper",
  'FR-4.2': 'a missing input is an empty object',
  'FR-4.3': 'bad input is VALIDATION_ERROR, names each field and points to afd-detail',
  'FR-4.4': 'the handler gets the parsed input: checked, with defaults filled in',
  'FR-4.5': 'an unknown command is COMMAND_NOT_FOUND with the nearest names',
  'FR-4.6': 'a registered command outside `commands` is COMMAND_NOT_EXPOSED',
  'FR-4.7': 'the whole middleware chain runs around the command',
  'FR-4.8': 'a batch with one entry returns the same result as a call',
  'FR-4.9': 'the handler gets a context with the command, the caller and the trace',

  // FR-5: beside the other strategies
  'FR-5.1': 'individual lists each command by its name, and neither discover nor detail nor groups',
  'FR-5.2': 'grouped lists groups, and neither discover nor detail nor single commands',
  'FR-5.3': 'batch and pipe work under every strategy',
  'FR-5.4': 'the bootstrap commands work beside every strategy',

  // FR-6: contexts
  'FR-6.1': 'afd-discover lists only commands of the active context',
  'FR-6.2': 'afd-detail describes commands of any context',
  'FR-6.3': 'afd-call refuses a command of another context with CONTEXT_MISMATCH and names the context to enter',

  // FR-7: exposure
  'FR-7.1': 'every command in `commands` is exposed, even with expose.mcp false',
  'FR-7.2': 'changing the strategy hides no command',
  'FR-7.3': 'a registry by itself filters by expose',
  'FR-7.4': 'a command outside `commands` is never listed or suggested, and cannot be run on any path',

  'EX-1': 'browsing: the whole catalog, then one category',
  'EX-2': 'searching for a word, then the details of both hits in one call',
  'EX-3': 'the answer to a misspelt name suggests the right one',
  'EX-4': 'calling without reading the schema first',
  'EX-5': 'a missing field is named, with how to get the schema',
  'EX-6': 'filtering by tag with the mutation flag, and by two tags at once',
  'EX-7': "under individual, afd-call and the command's own tool return the same result",

  'SC-1': 'discover filters by category, tag, tags, words and pages',
  'SC-2': 'detail always returns a list with found and callable in each entry',
  'SC-3': 'call validates, runs the middleware and checks exposure',
  'SC-4': 'discover, detail and call all return a CommandResult with metadata',
  'SC-5': 'batch and pipe work beside lazy',
  'SC-6': 'the listing of lazy does not grow with the commands',
  'SC-7': 'calculateSimilarity and findSimilarTools are public',
  'SC-8': 'discover, detail and call work one after the other, as an agent uses them',
  'SC-9': 'afd-call does the same under all three strategies',
  'SC-10': 'afd-help explains the strategy that is active',
} as const

const issue2 = {
  // Public names
  'PN-1': 'a command name must be allowed by MCP and not be reserved for the server',
  'PN-2': 'examples are checked against the input when a command is defined',
  'PN-3': 'a server returns its address (MCP is at /mcp), its transport and its commands',
  'PN-4': 'transport auto is stdio if stdin is a pipe, a socket or a file, else HTTP, and prints the choice',
  'PN-5': 'a server can run commands and pipelines in its own process',
  'PN-6': 'tool:call is emitted for every tool call, introspection included',
  'PN-7': "onCommand is called for each command that ran, with its result, and not for the server's own tools",
  'PN-8': 'a registry registers, finds and lists commands, and filters its list by category, tags and exposure',
  'PN-9': 'a registry runs commands, batches and pipelines',
  'PN-10': 'a direct client calls, batches and pipes, and suggests names for unknown ones',
  'PN-11': 'the prefix of the built-in tools can be set, and the bootstrap commands use it',
  'PN-12': 'an unknown strategy is refused with its name when the server is created',

  // Middleware
  'MW-1': 'middleware runs in the order given, first outermost',
  'MW-2': 'it runs on every path: own tool, group action, afd-call, batch entry, pipe step, direct call',
  'MW-3': "it does not run for introspection and for the server's own tools, on any path",
  'MW-4': 'the default stack adds a trace id, a time and the command version to the result',
  'MW-5': 'rate limiting, retry, timeout, logging and telemetry work as documented',

  // Input that is declared and input that is refused
  'IN-1': 'the declared schemas allow a string or a list for tag and command',
  'IN-2': 'more than ten names, no name, or a limit outside 1 to 200 is a VALIDATION_ERROR and is not cut silently',
  'IN-3': 'a JSON string for a parameter of type object or list is decoded',

  // Contexts
  'CX-1': 'the context commands exist only with contexts: listed by individual and grouped, discoverable in lazy',
  'CX-2': 'afd-context-list returns the contexts, highest priority first, and the active one',
  'CX-3': 'while no context is active, all commands are available',
  'CX-4': 'legacy: entering a context hides other commands from the session, and leaving it shows them again',
  'CX-5': 'legacy: list_changed is sent only for a switch that changes the list',
  'CX-6': 'legacy: a context belongs to one session',
  'CX-7': 'modern: a client cannot enter a context without a session, and the error explains the alternative',
  'CX-8': 'modern: discover, call, batch and pipe take the context as an argument',
  'CX-9': "CONTEXT_MISMATCH is the same through call, batch, pipe, a group and the command's own tool",
  'CX-10': 'an unknown context is refused, with the names of the existing contexts',

  // Batch
  'BA-1': 'results come in the order of the request with id, index, command and time; a summary and timing follow',
  'BA-2': 'a failing entry does not affect the others',
  'BA-3': 'stopOnError skips the entries after a failure',
  'BA-4': 'a batch starts no more commands after its timeout',
  'BA-5': 'parallel entries keep their order in the answer',
  'BA-6': 'a malformed request is INVALID_BATCH_REQUEST with the reason',
  'BA-7': 'more than 100 entries, and built-ins inside, are refused with a reason',

  // Pipe
  'PI-1': 'the answer has the last data, metadata over all steps, and each step',
  'PI-2': '$prev, $first, $input, $steps[n], $steps.alias and $alias refer to earlier output, each with a path',
  'PI-3': 'references are found inside nested objects and lists',
  'PI-4': 'a step with `when` runs only if its condition is true; all ten operators work',
  'PI-5': 'the confidence of a pipe is the lowest confidence of its steps, with a breakdown',
  'PI-6': 'reasoning, warnings, sources and alternatives of the steps are collected',
  'PI-7': 'the first failure stops the pipe and marks the rest skipped, unless continueOnFailure is set',
  'PI-8': 'after timeoutMs the remaining steps are skipped with PIPELINE_TIMEOUT',
  'PI-9': 'a pipe without steps is an empty result in process and a VALIDATION_ERROR over MCP',
  'PI-10': 'a malformed pipe or an invalid reference is refused, with the step and the reason',
  'PI-11': "each step's input is validated with the schema of its command",
  'PI-12': 'more than 100 steps, and built-ins inside, are refused with a reason',

  // Grouped
  'GR-1': 'there is one tool per category, with an enum of its actions',
  'GR-2': 'a missing or wrong action is INVALID_GROUPED_CALL with the list of actions',
  'GR-3': 'an action runs its command even if groupByFn or the category differs from the name',

  // Listing
  'LI-1': 'annotations for read-only and destructive match the command',
  'LI-2':
    '_meta contains a stated category, tags, requires, examples and contexts; under grouped, the last three for each action',
  'LI-3': 'lazy lists the same bytes for 5 and for 500 commands, at most 1,000 tokens',
  'LI-4': 'the default page of afd-discover costs at most 1,800 tokens on a server with 500 commands',
  'LI-5': 'a command registered while the server runs is listed, and clients are notified if their list changes',

  // Bootstrap
  'BO-1': 'help, docs and schema exist only if they are added; in lazy they are discoverable',
  'BO-2': 'docs and schema describe every command the caller may use, or the one that is named',

  // Results
  'RE-1': 'a result is compact JSON text and the same as structuredContent',
  'RE-2': 'isError is set exactly if success is false',
  'RE-3': 'content blocks are sent beside the JSON, on every path',
  'RE-4': 'progress and log messages arrive in order before the result',
  'RE-5': "a cancelled call aborts the handler's signal",

  // The same everywhere
  'MX-1':
    'the same request has the same result under every strategy, transport and era, but for the suggestions of errors',

  // HTTP and stdio
  'HT-1': 'Host and Origin are checked',
  'HT-2': 'a body over the limit is refused, and malformed JSON gets an error',
  'HT-3': 'stop lets calls in flight finish and refuses new ones',
  'HT-4': 'a client that disconnects cancels its call',
  'HT-5': 'each client gets only its own answers',
  'HT-6': 'with auth only known tokens are accepted, and on other addresses than loopback auth is required',
  'ST-1': 'a stdio server ends when its client disconnects, and leaves no process behind',

  // Bad input
  'BI-1': 'unknown tools and wrong types get an error, and the connection stays open',
  'BI-2': 'megabytes of text and thousands of nested levels get an answer, and the connection stays open',
  'BI-3': 'keys like __proto__ do not change prototypes',
  'BI-4': 'a handler that throws is a failure; its stack leaves the process only in devMode',
  'BI-5': 'the call of a handler that never returns fails with TIMEOUT',
  'BI-6': 'a return value that is not a CommandResult, or not JSON, is INVALID_RESULT',
  'BI-7': 'an Error in `cause` is sent as its message',
} as const

export const requirements: readonly Requirement[] = [
  ...Object.entries(spec000).map(([id, text]) => ({ id, origin: '000' as const, text })),
  ...Object.entries(issue2).map(([id, text]) => ({ id, origin: 'issue 2' as const, text })),
]
