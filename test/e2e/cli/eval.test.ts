// toolcrib eval and search --explain: the quality of search results, and the reasons for their ranks.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFileStore } from '../../../src/storage/file.ts'
import { type StoredGateway, storeGateway } from '../../fixtures/stored-gateway.ts'
import { type CliHome, createHome, hasTerminal, run, runOnTerminal } from './harness.ts'

const things = ['invoice', 'branch', 'calendar', 'contact', 'picture', 'ticket', 'parcel', 'recipe', 'flight', 'song']
const inputSchema = { type: 'object', properties: { id: { type: 'string' } } }
const servers = [
  {
    name: 'office',
    tools: things.map((thing) => ({
      name: `create_${thing}`,
      description: `Make a new ${thing} for somebody. The ${thing} is kept for a year.`,
      inputSchema,
    })),
  },
  {
    name: 'bin',
    tools: [{ name: 'delete_all', description: 'Throw every old parcel away. For ever.', inputSchema }],
  },
]
const toolLines = servers.flatMap(({ name: server, tools }) => tools.map((tool) => ({ server, ...tool })))
const queryLines = things.map((thing, at) => ({
  id: at + 1,
  query: `I would like to have a ${thing}, please`,
  relevant: [{ server: 'office', name: `create_${thing}` }],
}))
const jsonLines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')

let home: CliHome
let stored: StoredGateway
const cli = (...args: readonly string[]) => run(home, [...args, '--config', stored.config])
const files = ['--tools', 'tools.jsonl', '--queries', 'queries.jsonl']
const quantiles = { p50: expect.any(Number), p95: expect.any(Number) }

beforeAll(async () => {
  home = createHome()
  stored = await storeGateway(home.folder, servers)
  const config = JSON.parse(readFileSync(stored.config, 'utf8'))
  config.discovery.toolRules = [{ pattern: ['delete*'], enabled: false }]
  writeFileSync(stored.config, JSON.stringify(config))
  home = { ...home, env: { ...home.env, XDG_CACHE_HOME: stored.cacheHome, XDG_STATE_HOME: stored.stateHome } }
  home.write('project/tools.jsonl', jsonLines(toolLines))
  home.write('project/queries.jsonl', jsonLines(queryLines))
})
afterAll(async () => {
  expect(existsSync(stored.mark)).toBe(false)
  await home.remove()
})

describe('eval of a labelled set', () => {
  it('eval prints one line per ranker', async () => {
    const { stdout, stderr, code } = await cli('eval', ...files, '--ranker', 'bm25f', '--ranker', 'words')
    expect([stderr, code]).toEqual(['', 0])
    const shown = stdout
      .replace(/\d+\.\d\d, \d+\.\d\d/g, 'N, N')
      .replace(/^(.*N, N +)\d+ +\d+, \d+$/gm, '$1N N, N')
      .replace(/ {2,}/g, '  ')
    expect(shown).toBe(`Search over 11 tools, 10 queries from the files given:

ranker  R@1  R@5  R@10  nDCG@10  MRR  ms  build  tokens
bm25f  100.0%  100.0%  100.0%  100.0%  100.0%  N, N  N N, N
words  0.0%  0.0%  0.0%  0.0%  0.0%  N, N  N N, N

Milliseconds of a search and tokens of its answer: median, 95th percentile. Build: milliseconds.
`)
  })

  it('eval prints the same report as JSON, with nothing on stderr', async () => {
    const { stdout, stderr, code } = await cli('eval', ...files, '--json')
    expect([stderr, code]).toEqual(['', 0])
    expect(JSON.parse(stdout)).toEqual({
      origin: 'files',
      tools: 11,
      queries: 10,
      rankers: [
        {
          ranker: 'bm25f',
          recall1: 1,
          recall5: 1,
          recall10: 1,
          ndcg10: 1,
          mrr: 1,
          buildMs: expect.any(Number),
          latencyMs: quantiles,
          answerTokens: quantiles,
        },
      ],
    })
    expect((await cli('eval', ...files, '--quiet')).stdout).toBe('bm25f 100.0%\n')
  })

  it('eval writes the ranking of every query to a file, one file per ranker', async () => {
    await cli('eval', ...files, '--run', 'out.jsonl')
    const lines = readFileSync(join(home.cwd, 'out.jsonl'), 'utf8').trimEnd().split('\n')
    const run = lines.map((line) => JSON.parse(line))
    expect(run.map(({ id }) => id)).toEqual(queryLines.map(({ id }) => id))
    for (const [at, line] of run.entries()) {
      expect(Object.keys(line)).toEqual(['id', 'ranked', 'ms'])
      expect(line.ranked[0]).toEqual(queryLines[at]?.relevant[0])
      expect(line.ms).toBeGreaterThan(0)
    }
    const { stdout } = await cli('eval', ...files, '--ranker', 'bm25f', 'bm25', '--run', 'both.jsonl')
    expect(stdout).toMatch(/\nWritten: both\.bm25f\.jsonl, both\.bm25\.jsonl\n$/)
    expect(readFileSync(join(home.cwd, 'both.bm25.jsonl'), 'utf8').split('\n')).toHaveLength(11)
  })

  it.each([
    [['--tools', 'tools.jsonl'], '--tools and --queries go together'],
    [['--tools', 'none.jsonl', '--queries', 'queries.jsonl'], "'none.jsonl' does not exist"],
    [['--tools', 'queries.jsonl', '--queries', 'queries.jsonl'], 'queries.jsonl, line 1: Required field'],
    [[...files, '--ranker', 'dense'], "There is no ranker 'dense'. The rankers are: bm25f, bm25, words"],
  ])('eval refuses %j with exit code 1', async (args, message) => {
    const { stderr, stdout, code } = await cli('eval', ...args)
    expect([stdout, code]).toEqual(['', 1])
    expect(stderr).toContain(message)
    const json = await cli('eval', ...args, '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ success: false, error: { code: 'INVALID_ARGUMENTS' } })
  })

  it('eval exits with 2 if there is no query', async () => {
    home.write('project/empty.jsonl', '')
    const { stdout, code } = await cli('eval', '--tools', 'tools.jsonl', '--queries', 'empty.jsonl')
    expect(stdout).toMatch(
      /^There is nothing to measure: there is no query\. Write tools .* and queries into empty\.jsonl\.\n$/,
    )
    expect(code).toBe(2)
  })

  it('eval counts the queries if there is no tool', async () => {
    home.write('project/empty.jsonl', '')
    const { stdout, code } = await cli('eval', '--tools', 'empty.jsonl', '--queries', 'queries.jsonl', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ tools: 0, queries: queryLines.length, rankers: [] })
    expect(code).toBe(2)
  })

  it('eval prints the results and exits with 1 if the file of --run cannot be written', async () => {
    const words = ['eval', ...files, '--ranker', 'bm25f', 'words', '--run', 'no/such/folder/out.jsonl']
    const { stdout, stderr, code } = await cli(...words)
    expect(stdout).toMatch(/\nbm25f .*\nwords /)
    expect(stdout).not.toContain('Written:')
    expect(stderr).toMatch(
      /out\.bm25f\.jsonl' cannot be written: its folder does not exist.*out\.words\.jsonl' cannot be written/s,
    )
    expect(stderr).toContain('Pass another file with --run.')
    expect(code).toBe(1)
    const json = await cli(...words, '--json')
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([1, { rankers: [{ ranker: 'bm25f' }, {}] }])
  })

  it.runIf(hasTerminal)('eval shows a progress bar on a terminal and removes it at the end', async () => {
    const { stdout } = await runOnTerminal(home, ['eval', ...files, '--config', stored.config])
    expect(stdout).toContain('[--------------------] 0/20 bm25f')
    expect(stdout).toContain('\u001b[2KSearch over 11 tools')
  })
})

describe("eval of the user's own catalog", () => {
  const measured = async () => JSON.parse((await cli('eval', '--json')).stdout)

  it('eval makes queries from descriptions, and none for tools that rules disable', async () => {
    const { stdout, stderr, code } = await cli('eval')
    expect([stderr, code]).toEqual(['', 0])
    expect(stdout).toMatch(/^Search over 11 tools, 10 queries made from the first sentences of descriptions/)
    expect(await measured()).toMatchObject({ origin: 'generated', tools: 11, queries: 10 })
  })

  it('eval uses the searches in the audit log once there are enough of them', async () => {
    const caller = { principal: 'cli', transport: 'direct', era: 'direct' }
    const time = new Date().toISOString()
    const records = things.flatMap((thing) => [
      { time, event: 'search', caller, query: `something with a ${thing}` },
      { time, event: 'call', caller, server: 'office', tool: `create_${thing}`, outcome: 'ok', durationMs: 1 },
    ])
    const folder = join(stored.stateHome, 'toolcrib')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'audit.jsonl'), jsonLines(records.slice(0, 10)))
    expect(await measured()).toMatchObject({ origin: 'generated' })
    writeFileSync(join(folder, 'audit.jsonl'), jsonLines(records))
    expect(await measured()).toMatchObject({ origin: 'audit', queries: 10, rankers: [{ recall1: 1 }] })
    expect((await cli('eval')).stdout).toMatch(/10 queries from the audit log: what was searched for/)
    writeFileSync(join(folder, 'audit.jsonl'), '')
  })
})

describe('search --explain', () => {
  it('search --explain shows for each hit which words matched, in which fields, and their share', async () => {
    const { stdout, stderr, code } = await cli('search', 'generate a song', '--limit', '1', '--explain')
    expect([stderr, code]).toEqual(['', 0])
    expect(stdout.replace(/\d+%/g, 'N%')).toBe(`Search results for "generate a song" (1 found):

1. office:create_song (N% match)
   Make a new song for somebody
   Why: song N% in name N%, summary N%, description N%; generate as create N% in name
`)
  })

  it('search --explain shows whether the query named the tool or a pattern matched its name', async () => {
    expect((await cli('search', 'create_song', '--explain')).stdout).toContain('   Why: the query names it; ')
    expect((await cli('search', '*song', '--explain')).stdout).toContain('   Why: its name matches the pattern\n')
  })

  it('search --explain adds the explanation to JSON, and leaves it out without the flag', async () => {
    const { stdout } = await cli('search', 'generate a song', '--limit', '1', '--explain', '--json')
    const [hit] = JSON.parse(stdout).results
    expect(hit.explanation).toMatchObject({
      relevance: hit.relevance,
      named: false,
      reasons: [
        { word: 'song', term: 'song', how: 'word', fields: [{ field: 'name', share: expect.any(Number) }, {}, {}] },
        { word: 'generate', term: 'create', how: 'same' },
      ],
    })
    const plain = await cli('search', 'generate a song', '--limit', '1', '--json')
    expect(JSON.parse(plain.stdout).results[0]).not.toHaveProperty('explanation')
  })

  it.each([
    [1, '1 time'],
    [3, '3 times'],
  ])('search --explain shows that %i recent calls rank a tool first among equal results', async (calls, text) => {
    const learned = { 'office:create_song': { count: calls, at: Date.now() } }
    const store = createFileStore({ dir: join(stored.stateHome, 'toolcrib', 'store') })
    await store.set('usage', learned)
    await store[Symbol.asyncDispose]()
    const { stdout } = await cli('search', 'kept for a year', '--limit', '2', '--explain')
    expect(stdout).toMatch(/\n1\. office:create_song .+\n.+\n.+\n {3}Called/)
    expect(stdout).toContain(`\n   Called ${text} recently: ranks first among equal results\n`)
    expect(stdout.match(/Called/g)).toHaveLength(1)
  })
})
