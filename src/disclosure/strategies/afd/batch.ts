// The meta-tool afd-batch: runs several commands in one request. By default, a failure does not stop the others.

import { z } from 'zod'
import { decodeStringified } from '../../../core/decode.ts'
import { fail } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'
import { typeNameOf } from '../../../core/text.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import { toolsToRun } from '../../needs.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'

export function createBatch({ prefix, hasContexts }: StrategyEnvironment): MetaTool {
  const tool = defineMetaTool({
    name: `${prefix}-batch`,
    description: 'Run up to 100 independent commands; each succeeds or fails on its own.',
    // The dispatcher validates the request, because its refusals have their own error code.
    input: z.looseObject({}),
    inputSchema: {
      type: 'object',
      properties: {
        commands: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: {
            type: 'object',
            properties: {
              id: { type: 'string', minLength: 1 },
              command: { type: 'string', minLength: 1 },
              input: { type: 'object' },
            },
            required: ['command'],
            additionalProperties: false,
          },
        },
        options: {
          type: 'object',
          properties: {
            stopOnError: { type: 'boolean' },
            timeout: { type: 'number', exclusiveMinimum: 0, description: 'ms' },
            parallelism: { type: 'integer', minimum: 1, maximum: 16 },
          },
          additionalProperties: false,
        },
      },
      required: ['commands'],
      additionalProperties: false,
    },
    readOnly: false,
    takesContext: hasContexts,
    needs: (args) => toolsToRun(args, 'commands'),
    call: (request, view) => view.batch(request),
  })
  return {
    ...tool,
    // A request that the tool itself would refuse is also a malformed batch, so it gets the same error code.
    async call(args, view) {
      const request = decodeStringified(args === undefined ? {} : args, tool.listed.inputSchema)
      if (!isRecord(request)) return view.batch(request)
      const { context } = request
      if (!hasContexts || context === undefined || typeof context === 'string') return tool.call(request, view)
      return fail('INVALID_BATCH_REQUEST', {
        reason: `Field 'context': expected string, received ${typeNameOf(context)}`,
      })
    },
  }
}
