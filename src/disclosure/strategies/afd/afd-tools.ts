// The five tools of a command server. A strategy chooses which of them to list. Unlisted ones can be called too.

import { z } from 'zod'
import { decodeStringified } from '../../../core/decode.ts'
import { fail } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'
import { typeNameOf } from '../../../core/text.ts'
import { createPlainCheck, defineMetaTool } from '../../meta-tool.ts'
import { toolsToRun } from '../../needs.ts'
import { defineRunTool } from '../../run-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import { createDetail } from './detail.ts'
import { createDiscover } from './discover.ts'

export function createAfdTools(environment: StrategyEnvironment) {
  const call = createCall(environment)
  const batch = createBatch(environment)
  const pipe = createPipe(environment)
  const all: readonly MetaTool[] = [createDiscover(environment), createDetail(environment), call, batch, pipe]
  return { call, batch, pipe, all }
}

/**
 * The meta-tool afd-call: runs a command by its name, whether or not the command is listed. It also runs afd-discover
 * and afd-detail. Some strategies do not list these, and a model that can call only listed tools still needs the schema
 * that an error message refers to.
 */
export function createCall(environment: StrategyEnvironment): MetaTool {
  const { prefix } = environment
  const name = `${prefix}-call`
  const runners = new Set([name, `${prefix}-batch`, `${prefix}-pipe`])
  const finders = new Set([`${prefix}-discover`, `${prefix}-detail`])
  return defineRunTool(environment, {
    name,
    description: 'Run a command by name; `input` must fit its schema.',
    toolField: 'command',
    inputField: 'input',
    find: `${prefix}-discover`,
    isPlain: createPlainCheck(['command'], 'input'),
    async run(command, input, view) {
      const described = finders.has(command) ? view.callMetaTool(command, input) : undefined
      if (described !== undefined) return described
      if (runners.has(command)) return fail('BUILTIN_NOT_ALLOWED', { name: command, where: name })
      return view.deliver(await view.invoke(command, input))
    },
  })
}

const nonEmpty = { type: 'string', minLength: 1 }

/** The meta-tool afd-batch: runs several commands in one request. By default, a failure does not stop the others. */
export function createBatch({ prefix, hasContexts }: StrategyEnvironment): MetaTool {
  const tool = defineMetaTool({
    name: `${prefix}-batch`,
    description: 'Run up to 100 independent commands; each succeeds or fails on its own.',
    // `view.batch` validates the request, because its refusals have their own error code.
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
            properties: { id: nonEmpty, command: nonEmpty, input: { type: 'object' } },
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

/** The meta-tool afd-pipe: runs commands in sequence. Later steps can use the output of earlier ones. */
function createPipe({ prefix, hasContexts }: StrategyEnvironment): MetaTool {
  return defineMetaTool({
    name: `${prefix}-pipe`,
    description:
      'Run commands in sequence. $prev, $first, $input, $steps[n], $alias, with a path ("$prev.items[0].id"), stand for earlier output; `when`: $exists $eq $ne $gt $gte $lt $lte $and $or $not.',
    // `view.pipe` validates the request, but accepts a pipe without steps. This schema refuses that.
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
              command: nonEmpty,
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
