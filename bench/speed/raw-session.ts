// A small JSON-RPC client to measure the start of a program. It costs almost no time itself.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { killOnExit } from './kill-on-exit.ts'
import type { BenchProgram } from './targets.ts'

export interface BenchSession {
  readonly pid: number
  /** Milliseconds since the program was started. */
  sinceStart(): number
  request(method: string, params?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  close(): Promise<void>
}

const CLIENT = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
}

interface Message {
  readonly id?: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: unknown
}

/** Starts the program and does the `initialize` handshake. */
export async function startRaw({ command = process.execPath, args, env = {} }: BenchProgram): Promise<BenchSession> {
  const startedAt = performance.now()
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.once('exit', killOnExit(child))
  const waiting = new Map<number, { resolve(result: Message['result'] & object): void; reject(error: Error): void }>()
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${args.join(' ')} ended with ${code}`))
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line) as Message // the servers of this benchmark are our own or known
    if (id === undefined) return
    if (result === undefined) waiting.get(id)?.reject(new Error(JSON.stringify(error)))
    else waiting.get(id)?.resolve(result)
    waiting.delete(id)
  })
  let lastId = 0
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request: BenchSession['request'] = (method, params = {}) => {
    const id = ++lastId
    send({ id, method, params })
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
  }
  await request('initialize', CLIENT)
  send({ method: 'notifications/initialized' })
  return {
    pid: child.pid ?? 0,
    sinceStart: () => performance.now() - startedAt,
    request,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.stdin.end()
      // A gateway that still starts servers ends slowly, and a benchmark has no calls in flight to lose.
      const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(late)
    },
  }
}
