// Opens a gateway over cached manifests in this process, in the same way as `toolcrib serve`.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../src/config/load/load.ts'
import type { CommandResult } from '../src/core/result.ts'
import { createGateway, type Gateway } from '../src/crib/from-config.ts'
import type { Request } from '../src/crib/request.ts'
import { type StoredServer, storeGateway } from '../test/fixtures/stored-gateway.ts'

export interface OpenedGateway {
  readonly gateway: Gateway
  readonly config: string
  call(name: string, args: unknown): Promise<CommandResult>
  /** Calls a tool and returns the text that a model reads, or the error as JSON. */
  ask(name: string, args: unknown): Promise<string>
  close(): Promise<void>
}

export const request: Request = {
  caller: { principal: 'bench', era: 'modern', transport: 'memory' },
  signal: new AbortController().signal,
}

export async function openStored(servers: readonly StoredServer[]): Promise<OpenedGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'))
  const { config, cacheHome, stateHome } = await storeGateway(folder, servers)
  const gateway = await createGateway({
    name: 'toolcrib',
    version: '0.0.0',
    env: {},
    stateDir: join(stateHome, 'toolcrib'),
    cacheDir: join(cacheHome, 'toolcrib'),
    load: (signal) =>
      loadConfig({
        cwd: folder,
        home: folder,
        configDir: folder,
        platform: process.platform,
        env: {},
        explicit: config,
        signal,
      }),
    onProblem: ({ server = '', message }) => console.error(`${server}: ${message}`),
  })
  const call = (name: string, args: unknown) => gateway.crib.call(name, args, request)
  return {
    gateway,
    config,
    call,
    async ask(name, args) {
      const { wire, error } = await call(name, args)
      const [block] = wire?.content ?? []
      return block?.type === 'text' ? block.text : JSON.stringify({ error })
    },
    async close() {
      await gateway[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
