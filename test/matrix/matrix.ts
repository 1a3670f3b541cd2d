// Checks the same seven claims for one source under every strategy, over stdio and HTTP, in both protocol eras. Also
// checks the rights of a second principal, if the source has one.

import type { CallToolResult } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StrategyTask } from '../../src/disclosure/strategy-task.ts'
import { eras, type GatewayClient, type ProtocolEra } from '../e2e/gateway/client.ts'
import type { DoorName } from '../e2e/gateway/harness.ts'
import { type MatrixRow, type MatrixTarget, rows, type ToolNames, taskClient } from './drivers.ts'

export interface Opened {
  connect(options: { readonly era: ProtocolEra; readonly token?: string }): Promise<GatewayClient>
  close(): Promise<void>
}

export interface Source {
  /** Names or patterns for a hybrid core. */
  readonly core: readonly string[]
  /** A visible tool. */
  readonly target: MatrixTarget & {
    readonly parameter: string
    readonly args: Readonly<Record<string, unknown>>
    readonly answer: RegExp
    readonly badArgs: Readonly<Record<string, unknown>>
  }
  /** The name of the visible tool with a typo. */
  readonly wrong: ToolNames
  /** A tool that exists but must stay hidden; `words` is a query that would find it. */
  readonly hidden: MatrixTarget
  open(row: MatrixRow, door: DoorName): Promise<Opened>
  /** A second principal over HTTP. Its rights include other tools, but not the visible tool above. */
  readonly limited?: Limited
}

interface Limited {
  token(): string
  /** Matches the name of one of its own tools, or of its server. */
  readonly own: RegExp
  /** Matches names of servers and tools that this principal must not see. */
  readonly foreign: RegExp
}

const doors: readonly DoorName[] = ['stdio', 'http']

export function runMatrix(source: Source): void {
  const { target, wrong, hidden } = source
  describe.each(rows(source.core))('$title', (row) => {
    const { task } = row
    const opened: Opened[] = []
    const clients = new Map<string, GatewayClient>()
    const open = async (door: DoorName, served: readonly ProtocolEra[]) => {
      const one = await source.open(row, door)
      opened.push(one)
      for (const era of served) clients.set(`${door} ${era}`, await one.connect({ era }))
      if (door !== 'http' || source.limited === undefined) return
      const token = source.limited.token()
      for (const era of served) clients.set(`limited ${era}`, await one.connect({ era, token }))
    }
    beforeAll(async () => {
      // A process over stdio has one client. A process over HTTP serves both eras.
      await Promise.all([open('http', eras), ...eras.map((era) => open('stdio', [era]))])
    })
    afterAll(() => Promise.all(opened.map((one) => one.close())))

    const { limited } = source
    it.skipIf(limited === undefined).each(eras)(
      'a principal with other rights sees only its own tools, and the first principal can still call its tool, in the %s era',
      async (era) => {
        const [all, few] = [clients.get(`http ${era}`), clients.get(`limited ${era}`)]
        if (all === undefined || few === undefined || limited === undefined) throw new Error('Not connected.')
        const seen = JSON.stringify([
          await few.list(),
          await searched(task, few, target),
          await searched(task, few, hidden),
        ])
        expect(seen).not.toMatch(limited.foreign)
        const own = JSON.stringify([
          await few.list(),
          await searched(task, few, { ...target, words: 'read graph', category: 'memory' }),
        ])
        expect(own).toMatch(limited.own)
        const answer = await task.call(taskClient(few), target, target.args)
        expect(errorOf(answer)).toMatch(/NOT_FOUND|INVALID_GROUPED_CALL/)
        await task.prepare?.(taskClient(all), target)
        expect(JSON.stringify(await task.call(taskClient(all), target, target.args))).toMatch(target.answer)
      },
    )

    describe.each(doors.flatMap((door) => eras.map((era) => ({ door, era }))))(
      'over $door in the $era era',
      (combination) => {
        const client = () => {
          const found = clients.get(`${combination.door} ${combination.era}`)
          if (found === undefined) throw new Error('The client is not connected.')
          return found
        }
        const call = async (tool: ToolNames, args: Readonly<Record<string, unknown>>): Promise<CallToolResult> => {
          const named = { words: '', category: '', ...tool }
          await task.prepare?.(taskClient(client()), named)
          return task.call(taskClient(client()), named, args)
        }

        it('a client lists the tools of the strategy and no hidden tool', async () => {
          const names = (await client().list()).map(({ name }) => name)
          if (row.lists !== undefined) expect(names.toSorted()).toEqual(row.lists.toSorted())
          if (row.listsTools) expect(names).toContain(target.name)
          expect(names.length).toBeGreaterThan(0)
          expect(names).not.toContain(hidden.name)
        })

        it('a client finds the visible tool and no hidden tool', async () => {
          const found = await task.find(taskClient(client()), target)
          expect(found).toContain(target.action)
          expect(found).not.toContain(hidden.id)
          const other = await task.find(taskClient(client()), { ...target, words: hidden.words })
          expect(other).not.toContain(hidden.id)
        })

        it('a client gets the parameters of the tool', async () => {
          await task.prepare?.(taskClient(client()), target)
          expect(await task.inspect(taskClient(client()), target)).toContain(target.parameter)
        })

        it('a client calls the tool and gets its result', async () => {
          const { content, isError = false } = await call(target, target.args)
          expect(JSON.stringify(content)).toMatch(target.answer)
          expect(isError).toBe(false)
        })

        it('a call of a name with a typo gets the right name as a suggestion', async () => {
          const error = errorOf(await call(wrong, target.args))
          expect(error).toMatch(/NOT_FOUND|INVALID_GROUPED_CALL/)
          expect(error).toContain(target.action)
        })

        it('a call with wrong arguments is refused, with the name of the parameter', async () => {
          const error = errorOf(await call(target, target.badArgs))
          expect(error).toContain('VALIDATION_ERROR')
          expect(error).toContain(target.parameter)
        })

        it('a call of a hidden tool is refused', async () => {
          expect(errorOf(await call(hidden, {}))).toMatch(/TOOL_DISABLED|NOT_EXPOSED|NOT_FOUND|INVALID_GROUPED_CALL/)
          const direct = await client().client.callTool({ name: hidden.name, arguments: {} })
          expect(errorOf(direct)).toMatch(/TOOL_DISABLED|NOT_EXPOSED|NOT_FOUND/)
        })
      },
    )
  })
}

/** The answer of the search of a strategy, without the names that were asked for. */
async function searched(task: StrategyTask, client: GatewayClient, tool: MatrixTarget): Promise<string> {
  // Some strategies refuse an unknown category or group with an error.
  const found = await task.find(taskClient(client), tool).catch((error) => String(error))
  return [tool.id, tool.name, tool.group, tool.category].reduce((text, name) => text.replaceAll(name, ''), found)
}

function errorOf({ content, structuredContent, isError }: CallToolResult): string {
  if (isError !== true) throw new Error(`No error: ${JSON.stringify(content)}`)
  return JSON.stringify({ content, structuredContent })
}
