// The parsers of outside input. A parser must not throw, hang, or change the prototype of all objects.

import fc from 'fast-check'
import { ownDialect } from '../../src/config/dialect.ts'
import { parseDocument } from '../../src/config/document.ts'
import { importers } from '../../src/config/imports/builtins.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { renderProblem } from '../../src/config/problem.ts'
import type { ToolRule } from '../../src/config/server-config.ts'
import { success } from '../../src/core/result.ts'
import { runPipe } from '../../src/dispatch/pipe/pipe.ts'
import { isReference, parseReference } from '../../src/dispatch/pipe/references.ts'
import { compileRules } from '../../src/rules/rules.ts'
import { mutated } from './mutations.ts'

/** The time limit for one input, longer than any input needs on a busy machine. */
const MAX_MS = 5_000

const CONFIGS: readonly string[] = [
  JSON.stringify({
    $schema: './schema.json',
    http: { host: '127.0.0.1', port: 3100, tokens: { alice: `$\{ALICE}` } },
    audit: { mode: 'strict', file: '/tmp/audit.jsonl', values: true },
    discovery: {
      strategy: 'gateway',
      pinning: 'block',
      cache: { enabled: true, ttl: 60 },
      servers: {
        files: { command: 'npx', args: ['-y', 'files@1', `$\{HOME}/x`], env: { A: 'b' }, disabledTools: ['a*'] },
      },
      sources: [{ type: 'claude-desktop' }, { type: 'cursor', scope: 'project' }],
      toolRules: [{ server: 'files', pattern: ['read_*', '!/delete/i'], enabled: false, tags: ['x'] }],
    },
    limits: { maxResultTokens: 100, idleMs: 0 },
  }),
  'discovery:\n  servers:\n    web: &web\n      url: https://a.test/mcp\n      headers: {X: "1"}\n    two:\n      <<: *web\n',
  '[discovery.servers.files]\ncommand = "npx"\nargs = ["a", "b"]\n[[discovery.toolRules]]\npattern = "x*"\nenabled = false\n',
]

const CLIENTS: readonly string[] = [
  `{"mcpServers":{"a":{"command":"npx","args":["-y","x"],"env":{"K":"$\{K}"},"disabled":true},"b":{"url":"https://a.test","headers":{"X":"y"}}}}`,
  `{"servers":{"a":{"type":"stdio","command":"$\{workspaceFolder}/x","envFile":".env"}},"inputs":[{"id":"k","type":"promptString"}]}`,
  '{"mcp":{"a":{"type":"local","command":["npx","x"],"environment":{"A":"{env:B}"},"enabled":false},"b":{"type":"remote","url":"https://b.test"}},"tools":{"a_*":false}}',
  '[mcp_servers.a]\ncommand = "npx"\nargs = ["x"]\nenabled_tools = ["y"]\n[mcp_servers.b]\nurl = "https://b.test"\nbearer_token_env_var = "T"\n',
  '{"context_servers":{"a":{"command":{"path":"npx","args":["x"]}}}, // comment\n}',
  '{"projects":{"/code/shop":{"mcpServers":{"a":{"command":"x"}},"disabledMcpServers":["a"]}}}',
]

const PATTERNS: readonly string[] = [
  'read_*',
  '!write_*',
  '/^get_.*$/i',
  '{a,b}_?',
  '**',
  '[a-z]*',
  'files:read',
  '/(a+)+$/',
  '+(a|b)',
]
const REFERENCES: readonly string[] = [
  '$prev',
  '$prev.items[0].id',
  '$steps[1].data',
  '$input["a b"].c',
  "$first['x']",
  '$alias.__proto__',
  '$$x',
  '$5.00',
]

/** Each property must hold for every input. */
export const parsers: Readonly<Record<string, () => fc.IAsyncProperty<unknown>>> = {
  config: () =>
    fc.asyncProperty(mutated(CONFIGS), fc.constantFrom('json', 'yaml', 'toml'), async (text, format) => {
      await inTime(async () => {
        const document = await parseDocument(text, format, 'config')
        if (!document.ok) return void renderProblem(document.problem)
        const location = {
          file: 'config',
          path: [],
          source: 'config',
          dialect: ownDialect,
          home: '/h',
          cwd: '/c',
          platform: 'linux',
        }
        const { problems, rules } = parseConfig(document.value, location as never) // only the paths of problems depend on it
        for (const problem of problems) renderProblem(problem)
        compileRules(rules)
      })
    }),
  rules: () => {
    const pattern = mutated(PATTERNS, 3)
    const rule: fc.Arbitrary<ToolRule> = fc.record(
      {
        pattern: fc.array(pattern, { minLength: 1, maxLength: 4 }),
        server: fc.oneof(fc.constantFrom('files', 'web', '*'), pattern),
        enabled: fc.boolean(),
        tags: fc.array(fc.string({ minLength: 1 })),
      },
      { requiredKeys: ['pattern'] },
    ) as fc.Arbitrary<ToolRule>
    const name = fc.oneof(
      fc.constantFrom('read_file', 'a'.repeat(5_000), '__proto__', 'constructor'),
      fc.string({ unit: 'binary' }),
    )
    return fc.asyncProperty(
      fc.array(rule, { maxLength: 6 }),
      fc.array(name, { maxLength: 6 }),
      async (rules, names) => {
        await inTime(async () => {
          const { decide } = compileRules(rules)
          for (const tool of names) {
            const { enabled, tags } = decide('files', tool)
            if (typeof enabled !== 'boolean' || !Array.isArray(tags)) throw new Error('The rules gave no decision.')
            // The second decision comes from the cache.
            if (decide('files', tool).enabled !== enabled)
              throw new Error(`The second decision about '${tool}' differs from the first.`)
          }
        })
      },
    )
  },
  references: () => {
    const reference = mutated(REFERENCES, 3)
    const input = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        reference,
        fc.jsonValue({ maxDepth: 1 }),
        fc.dictionary(fc.string(), tie('value')),
        fc.array(tie('value')),
      ),
    })).value
    const step = fc.record(
      {
        command: fc.constantFrom('a', 'b', 'c'),
        input: fc.oneof(reference, fc.dictionary(fc.string(), input)),
        as: fc.oneof(reference, fc.constantFrom('x', 'alias')),
        when: fc.oneof(input, fc.dictionary(fc.constantFrom('exists', 'eq', 'not', 'and', 'or', 'gt'), input)),
      },
      { requiredKeys: ['command'] },
    )
    const request = fc.record({ steps: fc.array(step, { maxLength: 5 }), input }, { requiredKeys: ['steps'] })
    return fc.asyncProperty(reference, fc.oneof(request, input), async (text, pipe) => {
      await inTime(async () => {
        if (isReference(text)) parseReference(text)
        const signal = new AbortController().signal
        const invoke = async (command: unknown, given: unknown) => success({ command, given })
        const result = await runPipe(pipe, { invoke, isBuiltin: () => false, signal } as never, 'pipe') // the parts that a pipe uses
        JSON.stringify(result)
      })
    })
  },
  importers: () =>
    fc.asyncProperty(mutated(CLIENTS), fc.constantFrom(...importers.values()), async (text, importer) => {
      const environment = { home: '/h', cwd: '/code/shop', platform: 'linux', env: {} } as const
      await inTime(async () => {
        const [file] = importer.paths(environment)
        const { servers, problems } = await importer.parse(text, file?.path ?? '/h/mcp.json', environment)
        for (const problem of problems) renderProblem(problem)
        for (const { name, connection } of servers) {
          if (typeof name !== 'string' || (connection.type === 'stdio' && typeof connection.command !== 'string'))
            throw new Error(
              `The importer has read a server without a name or a command: ${JSON.stringify({ name, connection })}`,
            )
        }
      })
    }),
}

async function inTime(work: () => Promise<void>): Promise<void> {
  const start = performance.now()
  await work()
  const ms = performance.now() - start
  if (ms > MAX_MS) throw new Error(`The input took ${Math.round(ms)} ms.`)
  if (Object.keys(Object.prototype).length > 0 || 'polluted' in {})
    throw new Error('The prototype of objects has changed.')
}
