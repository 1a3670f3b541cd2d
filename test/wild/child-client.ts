// Starts a program and connects the official client to it over stdio; ends every process that it has started.

import { setTimeout as delay } from 'node:timers/promises'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import * as z from 'zod'
import { killOnExit } from '../../bench/speed/kill-on-exit.ts'
import { allProcesses, descendantsOf, type ProcessLine } from '../../bench/speed/process-facts.ts'
import { connectClient, type GatewayClient, type ProtocolEra } from '../e2e/gateway/client.ts'

export interface ChildProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** The result of a call as it was sent, or the message of the JSON-RPC error. */
export type RawOutcome = { readonly result: RawResult } | { readonly error: string }

const rawResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
  _meta: z.record(z.string(), z.unknown()).default({}),
})
export type RawResult = z.output<typeof rawResult>

export interface ChildClient extends GatewayClient {
  /** The processes that the program has started, and those that they have started. */
  processes(): readonly ProcessLine[]
  /** Sends `tools/call` without the checks of the SDK, which would change or refuse odd results. */
  callRaw(name: string, args: Readonly<Record<string, unknown>>): Promise<RawOutcome>
  /** Ends the program. Returns the processes that it left behind, after it has ended those too. */
  end(): Promise<readonly ProcessLine[]>
}

/** A subclass: for a plain `StdioClientTransport`, the SDK starts a second process to detect the protocol era. */
class ChildTransport extends StdioClientTransport {
  childPid = 0
  errorOutput = ''
  #isClosing = false
  #forget = () => {}

  override async start(): Promise<void> {
    this.stderr?.on('data', (chunk) => {
      this.errorOutput = `${this.errorOutput}${chunk}`.slice(-2_000)
    })
    await super.start()
    this.childPid = this.pid ?? 0
    this.#forget = killOnExit({
      kill: (signal) => (this.pid !== null || this.#isClosing) && endProcess(this.childPid, signal),
    })
  }

  override async close(): Promise<void> {
    // While it closes, the SDK does not report the id of the process any more.
    this.#isClosing = this.pid !== null
    await super.close()
    this.#isClosing = false
    this.#forget()
  }
}

const LEAVE_MS = 5_000

/** The client declares that it can answer questions, as the gateway does: some servers list more tools then. */
export async function connectChild(program: ChildProgram, era: ProtocolEra): Promise<ChildClient> {
  const env = { PATH: process.env.PATH ?? '', ...program.env }
  const transport = new ChildTransport({ ...program, args: [...program.args], env, stderr: 'pipe' })
  const client = await connectClient(transport, { era, reply: () => ({ action: 'decline' }) }).catch(async (error) => {
    await transport.close()
    throw new Error(`${program.args.join(' ')} did not connect: ${transport.errorOutput}`, { cause: error })
  })
  const seen = new Map<number, ProcessLine>()
  const processes = () => {
    const now = transport.childPid === 0 ? [] : descendantsOf(transport.childPid)
    for (const one of now) seen.set(one.pid, one)
    return now
  }
  return {
    ...client,
    processes,
    async callRaw(name, args) {
      try {
        const params = { name, arguments: args }
        return { result: await client.client.request({ method: 'tools/call', params }, rawResult) }
      } catch (error) {
        return { error: error instanceof Error ? error.message.replace(/^MCP error -?\d+: /, '') : String(error) }
      }
    },
    async end() {
      processes()
      await client.close()
      const endsAt = performance.now() + LEAVE_MS
      let remaining = runningOf([...seen.values()])
      while (remaining.length > 0 && performance.now() < endsAt) {
        await delay(50)
        remaining = runningOf(remaining)
      }
      for (const { pid } of remaining) endProcess(pid, 'SIGKILL')
      return remaining
    },
  }
}

/** Lists all pages without the checks of the SDK: it would refuse the whole list because of one odd tool. */
export async function listRaw({ client }: GatewayClient): Promise<readonly RawTool[]> {
  const tools: RawTool[] = []
  let cursor: string | undefined
  do {
    const params = cursor === undefined ? {} : { cursor }
    const page: z.output<typeof rawList> = await client.request({ method: 'tools/list', params }, rawList)
    tools.push(...page.tools)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return tools
}

const rawList = z.looseObject({
  tools: z.array(
    z.looseObject({ name: z.string(), description: z.string().optional(), inputSchema: z.unknown().optional() }),
  ),
  nextCursor: z.string().optional(),
})
export type RawTool = z.output<typeof rawList>['tools'][number]

/** Returns the processes that still run. Also compares the command, because another process may have got the id. */
function runningOf(processes: readonly ProcessLine[]): readonly ProcessLine[] {
  const all = allProcesses()
  return processes.filter(({ pid, command }) => all.some((one) => one.pid === pid && one.command === command))
}

export function endProcess(pid: number, signal: NodeJS.Signals | number = 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    // It has ended already.
    return false
  }
}
