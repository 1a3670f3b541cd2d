// Every strategy and listing, and how a client finds, inspects and runs a tool under it. The matrix is made from this.

/** One tool of a source, and what is known of it there. */
export interface Target {
  /** As tools/list would name it. */
  readonly listed: string
  /** What the strategy `grouped` makes of it. */
  readonly group: string
  readonly action: string
  readonly category: string
  /** Words that are all in it, and what somebody would ask for. */
  readonly words: string
  readonly query: string
  readonly input: Readonly<Record<string, unknown>>
  /** In what it answers. */
  readonly output: string
  /** A parameter that it needs, and arguments without it. */
  readonly parameter: string
  readonly badInput: Readonly<Record<string, unknown>>
  /** Its name with a mistake in it. */
  readonly wrong: string
  /** A tool that nobody may see, and what is said to whoever names it. */
  readonly hidden: string
  readonly hiddenCode: string
}

export type Step = readonly [tool: string, args: Readonly<Record<string, unknown>>]

export interface Row {
  readonly title: string
  readonly strategy: string
  readonly options: Readonly<Record<string, unknown>>
  /** What is listed besides tools of the source; undefined where the list depends on those alone. */
  readonly own: readonly string[]
  /** Whether the target stands in tools/list, with or without its schema. */
  readonly shows: 'schema' | 'name' | 'nothing'
  /** Before a tool can be run or inspected. */
  prepare?(target: Target): Step
  /** Left out: it stands in tools/list. */
  find?(target: Target): Step
  inspect?(target: Target): Step
  run(name: string, input: Readonly<Record<string, unknown>>, target: Target): Step
}

const byName: Row['run'] = (name, input) => [name, input]
const invoke: Row['run'] = (tool, input) => ['invoke_tool', { tool, arguments: input }]
const execute: Row['run'] = (tool, input) => ['execute_tool', { tool, arguments: input }]
const searching = {
  find: ({ query }: Target): Step => ['search_tools', { query }],
  inspect: ({ listed }: Target): Step => ['get_tool_details', { tool: listed }],
}
const BROWSING = ['list_tool_categories', 'get_category_tools', 'get_tool_schema']
const FIVE = ['list_mcp_servers', 'search_tools', 'list_tools', 'get_tool_details', 'execute_tool']
const PAIR = ['my_capabilities', 'my_tool_schema']
const browsing = {
  find: ({ category }: Target): Step => ['get_category_tools', { category }],
  inspect: ({ listed }: Target): Step => ['get_tool_schema', { toolName: listed }],
}
const inventory = {
  find: ({ category }: Target): Step => ['my_capabilities', { category }],
  inspect: ({ listed }: Target): Step => ['my_tool_schema', { tool: listed }],
}
const prefix = { prefix: 'my' }

/** `core` is given by the source: the pattern that names its target. */
export function rowsFor(core: string): readonly Row[] {
  const hybrid = { listing: 'hybrid', core, invoke: true }
  const hidden = { listing: 'hidden', invoke: true }
  return [
    { title: 'individual', strategy: 'individual', options: {}, own: [], shows: 'schema', run: byName },
    {
      title: 'grouped',
      strategy: 'grouped',
      options: {},
      own: [],
      shows: 'nothing',
      run: (name, input, { listed, group, action }) => [
        group,
        { action: name === listed ? action : name, params: input },
      ],
    },
    {
      title: 'lazy',
      strategy: 'lazy',
      options: {},
      own: ['afd-discover', 'afd-detail', 'afd-call', 'afd-batch', 'afd-pipe'],
      shows: 'nothing',
      find: ({ words }) => ['afd-discover', { search: words }],
      inspect: ({ listed }) => ['afd-detail', { command: listed }],
      run: (command, input) => ['afd-call', { command, input }],
    },
    { title: 'gateway', strategy: 'gateway', options: {}, own: FIVE, shows: 'nothing', ...searching, run: execute },
    {
      title: 'manage',
      strategy: 'manage',
      options: {},
      own: ['manage_tools'],
      shows: 'nothing',
      find: ({ query }) => ['manage_tools', { action: 'list', search: query }],
      prepare: ({ listed }) => ['manage_tools', { action: 'enable', tools: listed }],
      run: byName,
    },
    ...[
      { listing: 'stripped', options: { listing: 'stripped' }, own: [] as const, shows: 'name' as const, run: byName },
      { listing: 'hidden', options: hidden, own: ['invoke_tool'], shows: 'nothing' as const, run: invoke },
      { listing: 'hybrid', options: hybrid, own: ['invoke_tool'], shows: 'schema' as const, run: byName },
    ].flatMap(({ listing, options, own, shows, run }): readonly Row[] => [
      {
        title: `categories ${listing}`,
        strategy: 'categories',
        options,
        own: [...BROWSING, ...own],
        shows,
        ...browsing,
        run,
      },
      {
        title: `capabilities ${listing}`,
        strategy: 'capabilities',
        options: { ...prefix, ...options },
        own: [...PAIR, ...own],
        shows,
        ...inventory,
        run,
      },
    ]),
    {
      title: 'auto',
      strategy: 'auto',
      options: { budget: 0 },
      own: FIVE,
      shows: 'nothing',
      ...searching,
      run: execute,
    },
  ]
}
