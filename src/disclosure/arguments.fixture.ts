// Arguments for the tools of strategies: valid, invalid and nearly valid ones.

const NAME = 'note-echo'
const entry = { command: NAME, input: { text: 'hi' } }
const repeat = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

/**
 * Two values that are not objects, `{}`, `base` itself, `base` with each of the given values of each field, and `base`
 * with an unknown field.
 */
function samplesOf(
  base: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, readonly unknown[]>>,
): readonly unknown[] {
  const varied = Object.entries({ ...values, unheardOf: [1] }).flatMap(([field, given]) =>
    given.map((value) => ({ ...base, [field]: value })),
  )
  return [[], 7, {}, base, ...varied]
}

/** Lists with one entry each, which is one of `samplesOf`. */
const entriesOf = (base: Readonly<Record<string, unknown>>, values: Readonly<Record<string, readonly unknown[]>>) =>
  samplesOf(base, values).map((one) => [one])

const NAMES = ['', 7, null, { name: NAME }, [NAME], [], [''], [NAME, 7], repeat(10, NAME), repeat(11, NAME)]
const OBJECTS = [{}, { text: 'hi', deep: { er: [1] } }, [], null, 7]
const OFFSETS = [0, 1, 1_000_000, -1, 0.5]
const LISTS = [[], repeat(100, entry), repeat(101, entry), {}, [NAME], [{ command: NAME }], [{ input: {} }]]

/**
 * The keys are tool names without the prefix of the server. The declared schema and the tool decide which samples are
 * valid.
 */
export const argumentSamples: Readonly<Record<string, readonly unknown[]>> = {
  discover: samplesOf(
    {},
    {
      category: ['note', '', 7],
      tag: ['a', ['a', 'b'], [], [7], {}],
      tagMode: ['all', 'any', 'none'],
      search: ['', 'echo', ['echo']],
      includeMutation: [true, 'yes'],
      limit: [1, 200, 0, 201, 1.5, '10'],
      offset: OFFSETS,
      context: [7],
    },
  ),
  detail: samplesOf({ command: NAME }, { command: NAMES }),
  call: samplesOf({ command: NAME }, { command: NAMES, input: OBJECTS, context: [7] }),
  batch: samplesOf(
    { commands: [entry] },
    {
      commands: [...LISTS, ...entriesOf(entry, { id: ['a', '', 7], command: ['', 7], input: [[], 7] })],
      options: [
        ...[{}, [], { unheardOf: 1 }, { stopOnError: true, timeout: 1_000, parallelism: 4 }],
        ...[{ stopOnError: 'yes' }, { timeout: 0 }, { timeout: -1 }],
        ...[0, 16, 17, 1.5].map((parallelism) => ({ parallelism })),
      ],
    },
  ),
  pipe: samplesOf(
    { steps: [entry] },
    {
      steps: [
        ...LISTS,
        [entry, { command: NAME, input: '$prev' }],
        ...entriesOf(entry, {
          command: ['', 7],
          input: [[], 7],
          as: ['made', 7],
          when: [{ $exists: '$input' }, 7],
        }),
      ],
      input: [null, 1],
      options: [
        ...[{ continueOnFailure: true, timeoutMs: 1_000 }, { continueOnFailure: 1 }],
        ...[{ timeoutMs: 0 }, { unheardOf: 1 }],
      ],
    },
  ),
  list_mcp_servers: samplesOf({}, { search: ['a', 7], offset: [1], limit: [2, 'many'] }),
  search_tools: samplesOf({ query: 'echo' }, { server: ['commands'], limit: [3], query: [['echo']] }),
  list_tools: samplesOf({ server: 'commands' }, { includeDisabled: [true], server: [7] }),
  get_tool_details: samplesOf({ tool: NAME }, { tool: [[NAME], 7], schema: [true], examples: [true] }),
  execute_tool: samplesOf({ tool: NAME }, { arguments: [{ text: 'hi' }, []] }),
  manage_tools: [
    ...samplesOf(
      { action: 'list' },
      { tools: [[]], search: ['echo', 7], category: ['note'], offset: OFFSETS, limit: [0, 1, 500, 501], context: [7] },
    ),
    ...samplesOf(
      { action: 'enable', tools: NAME },
      { tools: [[NAME], '', [''], [7], {}, repeat(200, NAME), repeat(201, NAME)], action: ['destroy'] },
    ),
    { action: 'disable', category: 'note' },
    { action: 'disable', category: '' },
  ],
  list_tool_categories: samplesOf({}, { category: ['note'], context: [7] }),
  get_category_tools: samplesOf({ category: 'note' }, { category: ['', 7], offset: OFFSETS }),
  get_tool_schema: samplesOf({ toolName: NAME }, { toolName: NAMES, schemaOnly: [true, 'yes'] }),
  invoke_tool: samplesOf({ tool: NAME }, { tool: NAMES, arguments: OBJECTS }),
  capabilities: samplesOf({}, { category: ['note', '', 7] }),
  tool_schema: samplesOf({ tool: NAME }, { tool: NAMES }),
}

/** Fields that these tools read. Generated arguments use these names, so that they are not all refused as unknown. */
export const argumentFields: readonly string[] = [
  ...['category', 'tag', 'tagMode', 'search', 'limit', 'offset', 'context'],
  ...['command', 'input', 'commands', 'steps', 'options', 'action', 'params'],
  ...['tools', 'toolName', 'tool', 'arguments', 'schemaOnly', 'query', 'server', 'handle', 'schema', 'examples'],
]
