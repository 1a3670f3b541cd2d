// Plays the example of the specification with only the answers of the tools: read README.md, then create an issue.

import { type CallToolResult, Client, type Tool } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CountTokens, loadTokenCounter } from '../../../src/core/tokens.ts'
import { covers, useClient } from './harness.ts'
import { useHome } from './home.ts'
import { bundled, everything, filesystem, memory, type ServerEntry } from './servers.ts'

const README = `# Kitchen timer

A timer for four pots at once. Known problem: the alarm of the third pot stays silent after midnight.
`
const MAX_TOKENS = 2_500

const home = useHome()
const path = home.write('README.md', README)
const servers: Readonly<Record<string, ServerEntry>> = {
  filesystem: filesystem(home.path),
  tracker: bundled('tracker'),
  everything: everything(),
  memory: memory(home.at('memory.jsonl')),
}
const { client } = useClient({ home, config: { discovery: { listWaitMs: 30_000, servers } } })

interface Hit {
  readonly server: string
  readonly tool: string
  readonly signature?: string
}
interface Details {
  readonly parameters: readonly {
    readonly name: string
    readonly type: string
    readonly description?: string
    readonly required?: boolean
  }[]
}

/** A request and its answer, with the tokens of both. */
interface Step {
  readonly what: string
  readonly tokens: number
}

describe('"Read README.md and file an issue about what it says"', () => {
  const steps: Step[] = []
  let count: CountTokens
  beforeAll(async () => {
    count = await loadTokenCounter()
  })

  const play = async (tool: string, args: Readonly<Record<string, unknown>>): Promise<CallToolResult> => {
    const result = await client().client.callTool({ name: tool, arguments: args })
    const said = result.content.map((block) => ('text' in block ? block.text : JSON.stringify(block))).join('\n')
    steps.push({ what: tool, tokens: count(JSON.stringify({ tool, args })) + count(said) })
    return result
  }
  const answer = async <T>(tool: string, args: Readonly<Record<string, unknown>>): Promise<T> => {
    const { content } = await play(tool, args)
    return JSON.parse(content[0]?.type === 'text' ? content[0].text : '') as T // checked by its use below
  }
  const search = async (query: string) => (await answer<{ results: readonly Hit[] }>('search_tools', { query })).results
  const describeTool = ({ server, tool }: Hit) => answer<Details>('get_tool_details', { server, tool })
  const required = ({ parameters }: Details) => parameters.filter((one) => one.required === true)

  let issue = ''

  it('the listing costs less than 600 tokens', async () => {
    covers('WX-2', 'MT-2')
    const tools = await client().list()
    steps.push({ what: 'tools/list', tokens: count(JSON.stringify(tools)) })
    expect(steps[0]?.tokens).toBeLessThan(600)
  })

  it('a tool that reads files is found, described and run', async () => {
    covers('WX-1')
    const [hit] = await search('read file')
    expect(hit).toMatchObject({ server: 'filesystem', signature: expect.stringContaining('(path') })
    const needed = required(await describeTool(hit as Hit)) // it was found
    expect(needed.map(({ name }) => name)).toEqual(['path'])
    const args = Object.fromEntries(needed.map(({ name }) => [name, path]))
    const read = await play('execute_tool', { server: hit?.server, tool: hit?.tool, arguments: args })
    const { result } = read.structuredContent as { result: { content: string } | string }
    const text = typeof result === 'string' ? result : result.content
    expect(text).toBe(README)
    issue = /Known problem: (.*)\./.exec(text)?.[1] ?? ''
    expect(issue).not.toBe('')
  })

  it('a tool that files issues is found, described and run', async () => {
    covers('WX-1')
    const [hit] = await search('create an issue')
    expect(hit).toMatchObject({ server: 'tracker', signature: expect.stringMatching(/\(project, title, body\?/) })
    const needed = required(await describeTool(hit as Hit)) // it was found
    // Each value comes from the parameter's description or from the file.
    const values = needed.map(({ name, description = '' }) => {
      const suggested = /such as (\w+)/.exec(description)?.[1]
      return [name, suggested ?? issue] as const
    })
    const args = { ...Object.fromEntries(values), body: `From README.md:\n\n> ${issue}` }
    const filed = await play('execute_tool', { server: hit?.server, tool: hit?.tool, arguments: args })
    expect(filed.isError).toBeUndefined()
    expect(JSON.stringify(filed.structuredContent)).toContain(issue)
    const kept = await client().run({ server: 'tracker', tool: 'issue-search', arguments: { text: 'third pot' } })
    expect(JSON.stringify(kept.structuredContent)).toContain(issue)
  })

  it('the whole session costs at most 2,500 tokens, and less than listing every tool once', async () => {
    covers('WX-2')
    const total = steps.reduce((sum, { tokens }) => sum + tokens, 0)
    const everyTool = (await Promise.all(Object.values(servers).map(toolsOf))).flat()
    const listed = count(JSON.stringify(everyTool))
    const lines = steps.map(({ what, tokens }) => `  ${what.padEnd(18)}${String(tokens).padStart(7)}`)
    console.log(
      [
        'Tokens (o200k) of the worked example:',
        ...lines,
        `  ${'in all'.padEnd(18)}${String(total).padStart(7)}`,
        `  Listing all ${everyTool.length} tools of ${Object.keys(servers).length} servers instead: ${listed}, with every message`,
      ].join('\n'),
    )
    expect(steps).toHaveLength(7)
    expect(total).toBeLessThanOrEqual(MAX_TOKENS)
    expect(total).toBeLessThan(listed)
  })
})

const direct: Client[] = []
afterAll(() => Promise.all(direct.map((one) => one.close())))

/** The list of all tools, as a client without a gateway gets it. */
async function toolsOf({ connection }: ServerEntry): Promise<readonly Tool[]> {
  const {
    command,
    args = [],
    env = {},
  } = connection as { command: string; args?: string[]; env?: Record<string, string> }
  const alone = new Client({ name: 'direct', version: '1.0.0' })
  direct.push(alone)
  await alone.connect(new StdioClientTransport({ command, args, env: { ...home.env, ...env }, stderr: 'ignore' }))
  return (await alone.listTools()).tools
}
