// One server of a named variant and its clients, over each transport and in each protocol era.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport, type Tool, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll } from 'vitest'
import { type CommandResult, createMcpServer } from '../../src/index.ts'
import { serverOptions, type VariantName } from '../fixtures/variants.ts'
import { createMemoryServer } from './memory-server.ts'
import { requirements } from './requirements.ts'

export interface Combination {
  readonly transport: 'memory' | 'stdio' | 'http'
  readonly era: 'legacy' | 'modern'
}

export const combinations: readonly Combination[] = (['memory', 'stdio', 'http'] as const).flatMap((transport) =>
  (['legacy', 'modern'] as const).map((era) => ({ transport, era })),
)

/** The name of a suite that runs once for each combination. */
export const OVER = 'over $transport, $era era:'

export interface Shop {
  readonly variant?: VariantName
  readonly strategy?: 'individual' | 'grouped' | 'lazy'
}

/** What a tool answered. Scenarios read into `data` freely: a missing field is a failed expectation. */
export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: the point of a scenario is to find out what is in there
  readonly data: any
  readonly result: Result
  readonly error: CommandResult['error']
  readonly isError: boolean
  readonly text: string
  /** The blocks beside the text. */
  readonly blocks: readonly { readonly type: string }[]
}
