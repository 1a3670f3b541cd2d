// The contract tests of every strategy. They run where a complete crib can be opened around the strategy.

import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createSchemaValidator } from '../core/json-schema.ts'
import { type CommandResult, isCommandResult } from '../core/result.ts'
import type { ListedTool } from '../core/tool.ts'
import { commandOf, namesOf } from '../sources/commands/command.fixture.ts'
import type { Command } from '../sources/commands/define.ts'
import { argumentFields, argumentSamples } from './arguments.fixture.ts'
import type { MetaTool } from './strategy.ts'

export interface StrategyUnderTest {
  /** The strategy's own tools, listed or not. */
  readonly metaTools: readonly MetaTool[]
  /** Sample arguments for meta-tools that the suite does not know, by the name of the meta-tool. */
  readonly samples?: Readonly<Record<string, readonly unknown[]>>
  list(): Promise<readonly ListedTool[]>
  /** Calls a name with any arguments, as a client does. */
  call(name: string, args: unknown): Promise<CommandResult>
  close(): Promise<void>
}

export interface StrategyTestSetup {
  readonly commands: readonly Command[]
  readonly unexposed?: readonly Command[]
  /** The existing contexts. */
  readonly contexts?: readonly string[]
  /** The active context of the client. */
  readonly context?: string
}

export type OpenStrategy = (setup: StrategyTestSetup) => Promise<StrategyUnderTest>

const LEGAL = /^[A-Za-z0-9_.-]{1,64}$/

const visible: readonly Command[] = [
  commandOf('note-echo', { input: z.looseObject({ text: z.string().optional() }), tags: ['text'] }),
  commandOf('note-create', { input: z.object({ title: z.string() }), mutation: true }),
  commandOf('order-list', { category: 'Orders & Returns', mutation: false }),
  commandOf('analytics'),
]
// The names, descriptions and tags of these two contain a word that no visible tool contains.
const otherContext = commandOf('lagoon-drain', {
  description: 'Drain the lagoon.',
  tags: ['lagoon'],
  contexts: ['night'],
})
const unexposed = commandOf('quasar-ignite', { description: 'Ignite the quasar.', tags: ['quasar'] })
const HIDDEN = /lagoon-drain|quasar-ignite|Drain the|Ignite the/

const setup: StrategyTestSetup = {
  commands: [...visible, otherContext],
  unexposed: [unexposed],
  contexts: ['day', 'night'],
  context: 'day',
}

export function strategyContract(name: string, start: OpenStrategy): void {
  describe(`${name} keeps the strategy contract`, () => {
    const opened: StrategyUnderTest[] = []
    const begin = async (given: StrategyTestSetup = setup): Promise<StrategyUnderTest> => {
      const subject = await start(given)
      opened.push(subject)
      return subject
    }
    afterEach(async () => {
      for (const subject of opened.splice(0)) await subject.close()
    })

    it('lists unique, legal names with a description and an object schema', async () => {
      const tools = await (await begin()).list()
      const unusable: string[] = []
      const schemas = createSchemaValidator({ onProblem: (_schema, reason) => unusable.push(reason) })
      expect(new Set(namesOf(tools)).size).toBe(tools.length)
      for (const tool of tools) {
        expect(tool.name).toMatch(LEGAL)
        expect(tool.description).not.toBe('')
        expect(tool.inputSchema.type).toBe('object')
        await schemas.validate(tool.inputSchema, {})
        expect(JSON.parse(JSON.stringify(tool))).toEqual(tool)
      }
      expect(unusable).toEqual([])
    })

    it('lists the same bytes from two new instances, and from one instance asked twice', async () => {
      const [one, other] = [await begin(), await begin()]
      const bytes = JSON.stringify(await one.list())
      expect(JSON.stringify(await one.list())).toBe(bytes)
      expect(JSON.stringify(await other.list())).toBe(bytes)
    })

    it('lists its tools, and answers their calls, without any command', async () => {
      const subject = await begin({ commands: [] })
      for (const tool of await subject.list()) {
        expect(isCommandResult(await subject.call(tool.name, {}))).toBe(true)
      }
    })

    it('never lists a tool that is not visible', async () => {
      expect(JSON.stringify(await (await begin()).list())).not.toMatch(HIDDEN)
    })

    it('never suggests a tool that is not visible', async () => {
      const subject = await begin()
      // Tools that switch contexts would change what is visible during the test.
      const names = (await namesIn(subject)).filter((tool) => !tool.includes('context'))
      for (const near of ['lagoon-drian', 'quasar-ignit', 'quasar ignite now', 'drain']) {
        for (const tool of names) {
          for (const args of argumentsAbout(near)) {
            expect(JSON.stringify(await subject.call(tool, args))).not.toMatch(HIDDEN)
          }
        }
        expect(JSON.stringify(await subject.call(near, {}))).not.toMatch(HIDDEN)
      }
    })

    it('refuses a tool that is not visible with the reason, by its name and through built-in meta-tools', async () => {
      const subject = await begin()
      const reasons = [
        [otherContext.name, 'CONTEXT_MISMATCH'],
        [unexposed.name, 'COMMAND_NOT_EXPOSED'],
      ] as const
      for (const [command, code] of reasons) {
        expect(JSON.stringify(await subject.call(command, {}))).toContain(code)
        const own = new Set(namesOf(subject.metaTools.map((tool) => tool.listed)))
        for (const [tool, args] of waysTo(command).filter(([tool]) => own.has(tool)))
          expect(JSON.stringify(await subject.call(tool, args))).toContain(code)
      }
    })

    it('answers arguments of any shape with a result, for every listed tool and every meta-tool', async () => {
      const subject = await begin()
      const names = await namesIn(subject)
      const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true })
      const nearly = fc.dictionary(fc.constantFrom(...argumentFields), anything, { maxKeys: 4 })
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...names), fc.oneof(anything, nearly), async (tool, args) => {
          expect(isCommandResult(await subject.call(tool, args))).toBe(true)
        }),
        { numRuns: 400 },
      )
    })

    it('declares schemas that accept every argument that its tools accept, and no others if the schema is strict', async () => {
      const subject = await begin()
      const mismatches: string[] = []
      const schemas = createSchemaValidator()
      for (const { listed } of subject.metaTools) {
        const samples = subject.samples?.[listed.name] ?? argumentSamples[listed.name.replace(/^afd[-_]/, '')] ?? []
        expect(samples, `samples for ${listed.name}`).not.toEqual([])
        for (const args of samples) {
          const declared = (await schemas.validate(listed.inputSchema, args)).ok
          const accepted = !isRefusal(await subject.call(listed.name, args))
          // A short schema may accept more than the tool, but must never refuse arguments that the tool accepts.
          const isOpen = listed.inputSchema.additionalProperties !== false
          if (declared !== accepted && !(declared && isOpen)) {
            const shown = JSON.stringify(args).slice(0, 100)
            mismatches.push(`${listed.name} ${accepted ? 'accepts' : 'refuses'} ${shown}, but its schema does not`)
          }
        }
      }
      expect(mismatches).toEqual([])
    })

    it('answers an unknown name with a NOT_FOUND code', async () => {
      const subject = await begin()
      for (const unknown of ['no-such-thing', '', '__proto__', 'x'.repeat(10_000)]) {
        expect((await subject.call(unknown, {})).error?.code).toMatch(/^(COMMAND|TOOL)_NOT_FOUND$/)
      }
    })
  })
}

async function namesIn({ list, metaTools }: StrategyUnderTest): Promise<string[]> {
  return [...new Set([...namesOf(await list()), ...metaTools.map((tool) => tool.listed.name)])]
}

/** Whether the tool refused the arguments before it used them. */
function isRefusal({ error }: CommandResult): boolean {
  return error !== undefined && ['VALIDATION_ERROR', 'INVALID_BATCH_REQUEST'].includes(error.code)
}

function argumentsAbout(text: string): readonly unknown[] {
  return [
    {},
    { search: text },
    { category: text },
    { tag: text },
    { command: text },
    { command: [text] },
    { commands: [{ command: text }] },
    { steps: [{ command: text }] },
    { action: text },
    { action: 'list', search: text },
    { action: 'enable', tools: [text, 'note-create'] },
    { action: 'disable', category: text },
    { tool: text },
    { toolName: [text] },
    { query: text },
    { server: 'commands', tool: text },
  ]
}

function waysTo(command: string): readonly (readonly [tool: string, args: unknown])[] {
  return [
    ['afd-call', { command }],
    ['afd-batch', { commands: [{ command }] }],
    ['afd-pipe', { steps: [{ command }] }],
    ['execute_tool', { tool: command }],
    ['get_tool_details', { tool: command }],
    ['invoke_tool', { tool: command }],
    ['manage_tools', { action: 'enable', tools: command }],
    ['get_tool_schema', { toolName: command }],
    ['afd_tool_schema', { tool: command }],
  ]
}
