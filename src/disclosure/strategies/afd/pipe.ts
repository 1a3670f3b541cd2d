// The meta-tool afd-pipe: runs commands in sequence. Later steps can use the output of earlier ones.

import { z } from 'zod'
import { defineMetaTool } from '../../meta-tool.ts'
import { toolsToRun } from '../../needs.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'

export function createPipe({ prefix, hasContexts }: StrategyEnvironment): MetaTool {
  return defineMetaTool({
    name: `${prefix}-pipe`,
    description:
      'Run commands in sequence. $prev, $first, $input, $steps[n], $alias, with a path ("$prev.items[0].id"), stand for earlier output; `when`: $exists $eq $ne $gt $gte $lt $lte $and $or $not.',
    // The dispatcher checks the request, except that it accepts a pipe without steps. This schema refuses that.
    input: z.looseObject({ steps: z.array(z.unknown()).min(1) }),
    inputSchema: {
      type: 'object',
      properties: {
        input: {},
        steps: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: {
            type: 'object',
            properties: {
              command: { type: 'string', minLength: 1 },
              input: { type: ['object', 'string'] },
              as: { type: 'string' },
              when: { type: 'object' },
            },
            required: ['command'],
            additionalProperties: false,
          },
        },
        options: {
          type: 'object',
          properties: { continueOnFailure: { type: 'boolean' }, timeoutMs: { type: 'number', exclusiveMinimum: 0 } },
          additionalProperties: false,
        },
      },
      required: ['steps'],
      additionalProperties: false,
    },
    readOnly: false,
    takesContext: hasContexts,
    needs: (args) => toolsToRun(args, 'steps'),
    call: (request, view) => view.pipe(request),
  })
}
