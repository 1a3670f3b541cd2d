// afd-batch: several commands in one request; one failure does not undo or stop the others.

import { z } from 'zod'
import { defineMetaTool } from '../meta-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../strategy.ts'

export function createBatch({ prefix, hasContexts }: StrategyEnvironment): MetaTool {
  return defineMetaTool({
    name: `${prefix}-batch`,
    description: 'Run up to 100 independent commands; each succeeds or fails on its own.',
    // The dispatcher checks the request itself: its refusals have a code of their own.
    input: z.looseObject({}),
    inputSchema: {
      type: 'object',
      properties: {
        commands: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'string' }, command: { type: 'string' }, input: { type: 'object' } },
            required: ['command'],
          },
        },
        options: {
          type: 'object',
          properties: {
            stopOnError: { type: 'boolean' },
            timeout: { type: 'number', description: 'ms' },
            parallelism: { type: 'integer' },
          },
        },
      },
      required: ['commands'],
    },
    readOnly: false,
    takesContext: hasContexts,
    call: (request, view) => view.batch(request),
  })
}
