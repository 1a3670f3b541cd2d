// The requests of the matrix, each with the result that it must have under every strategy, transport and era. Only the
// next step that an error suggests depends on the strategy: it names tools that are listed.

import { PNG, WAV } from '../fixtures/shop.ts'
import type { TestedStrategy } from './harness.ts'

export interface MatrixRequest {
  readonly name: string
  /** A command with its input, or one of the server's own tools with its arguments. */
  readonly run:
    | { readonly command: string; readonly input: unknown; readonly group: string; readonly action: string }
    | { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  /** The expected result under `lazy`, without times, trace ids and timestamps. */
  readonly result: Readonly<Record<string, unknown>>
  readonly blocks?: readonly Readonly<Record<string, unknown>>[]
}

export interface CallPath {
  readonly path: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** All paths of a request under a strategy: afd-call, and the strategy's own tool. */
export function callPaths({ run }: MatrixRequest, strategy: TestedStrategy): readonly CallPath[] {
  if ('tool' in run) return [{ path: 'its own tool', ...run }]
  const { command, input, group, action } = run
  const call = { path: 'afd-call', tool: 'afd-call', args: { command, input } }
  if (strategy === 'grouped') return [call, { path: 'its group', tool: group, args: { action, params: input } }]
  // The protocol accepts only objects as arguments.
  if (typeof input !== 'object' || input === null) return [call]
  return [call, { path: 'its own name', tool: command, args: { ...input } }]
}

/** The expected result under a strategy. `individual` and `grouped` do not list afd-discover and afd-detail. */
export function resultUnder(strategy: TestedStrategy, { result }: Pick<MatrixRequest, 'result'>): unknown {
  return strategy === 'lazy' ? result : withListedSteps(result)
}

function withListedSteps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withListedSteps)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'suggestion' && typeof inner === 'string' ? listedStep(inner) : withListedSteps(inner),
    ]),
  )
}

function listedStep(suggestion: string): string {
  if (suggestion !== noEmail.suggestion) {
    return suggestion.replace('Use afd-discover', "Use afd-call with command 'afd-discover'")
  }
  return 'Correct the input to fit `details.expected` and call again. afd-call with command \'afd-detail\' and input {"command":"user-create"} returns the whole schema.'
}

const TIMES = new Set(['executionTimeMs', 'durationMs', 'timing', 'timestamp', 'traceId'])

/** Removes the fields that differ from run to run. */
export function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !TIMES.has(key))
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutTimes(inner)]))
}

const alice = {
  success: true,
  data: { id: 42, name: 'Alice' },
  confidence: 0.99,
  reasoning: 'Looked up user 42',
  metadata: {},
}
const noEmail = {
  code: 'VALIDATION_ERROR',
  message: "Invalid input for 'user-create': Required field 'email' is missing",
  suggestion: "Call afd-detail with command 'user-create' to see the expected input schema.",
  details: {
    issues: [{ path: 'email', message: "Required field 'email' is missing" }],
    expected: "user-create(name, email, role?: 'member'|'owner')",
  },
}
const userGet = { command: 'user-get', group: 'user', action: 'get' }
const orderCreate = { command: 'order-create', group: 'order', action: 'create' }
const ordered = {
  success: true,
  data: { id: 'o-new', customerId: 'c-1', items: [{ sku: 'bolt', quantity: 1 }] },
  confidence: 0.8,
  metadata: {},
}

export const matrixRequests: readonly MatrixRequest[] = [
  { name: 'a success', run: { ...userGet, input: { id: 42 } }, result: alice },
  {
    name: 'a success with a default filled in and a version',
    run: { command: 'user-create', group: 'user', action: 'create', input: { name: 'Bo', email: 'bo@b.com' } },
    result: {
      success: true,
      data: { id: 1, name: 'Bo', email: 'bo@b.com', role: 'member' },
      reasoning: 'Created user',
      metadata: { commandVersion: '1.2.0' },
    },
  },
  {
    name: 'a todo',
    run: { command: 'todo-create', group: 'todo', action: 'create', input: { title: 'Buy milk' } },
    result: { success: true, data: { id: 't-1', title: 'Buy milk' }, confidence: 1, metadata: {} },
  },
  {
    name: 'a command with another category than the first word of its name',
    run: {
      command: 'subscription-cancel',
      group: 'payment',
      action: 'subscription-cancel',
      input: { subscriptionId: 's-1' },
    },
    result: { success: true, data: { subscriptionId: 's-1', cancelled: true }, metadata: {} },
  },
  {
    name: 'a failure of the handler',
    run: { ...userGet, input: { id: 1_000 } },
    result: {
      success: false,
      error: {
        code: 'USER_NOT_FOUND',
        message: 'There is no user 1000',
        suggestion: 'Use an id below 1000.',
        retryable: false,
        details: { id: 1_000 },
        cause: 'the table ends there',
      },
      confidence: 1,
      warnings: [{ code: 'STALE_COPY', message: 'Read from a copy', severity: 'info' }],
      metadata: {},
    },
  },
  {
    name: 'a handler that throws',
    run: { command: 'payment-charge', group: 'payment', action: 'charge', input: { cents: 1 } },
    result: {
      success: false,
      error: {
        code: 'COMMAND_EXECUTION_ERROR',
        message: "'payment-charge' failed: The card reader is on fire",
        suggestion:
          'Check the input. If it is correct, the command has a fault: its author finds the reason in the log.',
      },
      metadata: {},
    },
  },
  {
    name: 'input that lacks a field',
    run: { command: 'user-create', group: 'user', action: 'create', input: { name: 'Alice' } },
    result: { success: false, error: noEmail },
  },
  {
    name: 'a command that is registered but not exposed',
    run: { command: 'vault-open', group: 'vault', action: 'open', input: { code: '1' } },
    result: {
      success: false,
      error: {
        code: 'COMMAND_NOT_EXPOSED',
        message: "Command 'vault-open' is registered but this server does not expose it",
        suggestion:
          "Use afd-discover to list the commands that can be called; the server's author exposes one by adding it to `commands`.",
      },
    },
  },
  {
    name: 'a command that does not exist',
    // An unknown command is in no group, so it can only be called by its name.
    run: { tool: 'afd-call', args: { command: 'subscription-cancle' } },
    result: {
      success: false,
      error: {
        code: 'COMMAND_NOT_FOUND',
        message: "No command named 'subscription-cancle'",
        suggestion: "Did you mean 'subscription-cancel'? Use afd-discover to list all commands.",
        details: { similar: ['subscription-cancel'] },
      },
    },
  },
  {
    name: 'a tool that does not exist',
    run: { tool: 'subscription-cancle', args: {} },
    result: {
      success: false,
      error: {
        code: 'COMMAND_NOT_FOUND',
        message: "No command named 'subscription-cancle'",
        suggestion: "Did you mean 'subscription-cancel'? Use afd-discover to list all commands.",
        details: { similar: ['subscription-cancel'] },
      },
    },
  },
  {
    name: 'blocks beside the data',
    run: { command: 'picture-draw', group: 'report', action: 'picture-draw', input: { sku: 'bolt' } },
    result: { success: true, data: { sku: 'bolt' }, metadata: {} },
    blocks: [
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'audio', data: WAV, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'shop://bolt', mimeType: 'text/plain', text: 'bolt' } },
      { type: 'resource_link', uri: 'https://shop.example/bolt', name: 'bolt' },
    ],
  },
  { name: 'input as JSON text', run: { ...userGet, input: '{"id": 42}' }, result: alice },
  {
    name: 'a list as JSON text',
    run: { ...orderCreate, input: { customerId: 'c-1', items: '[{"sku": "bolt"}]' } },
    result: ordered,
  },
  {
    name: 'a batch',
    run: {
      tool: 'afd-batch',
      args: {
        commands: [
          { id: 'who', command: 'user-get', input: { id: 42 } },
          { command: 'user-create', input: { name: 'Alice' } },
        ],
      },
    },
    result: {
      success: true,
      warnings: [
        {
          code: 'BATCH_INCOMPLETE',
          message:
            '1 of 2 commands failed, and 0 did not run. Read `results`, then send again only the commands that did not succeed.',
        },
      ],
      results: [
        { id: 'who', index: 0, command: 'user-get', result: alice },
        { id: '1', index: 1, command: 'user-create', result: { success: false, error: noEmail } },
      ],
      summary: { total: 2, successCount: 1, failureCount: 1, skippedCount: 0 },
      confidence: 0.99,
      reasoning: '1 of 2 commands succeeded, 1 failed, 0 skipped.',
    },
  },
  {
    name: 'a pipe',
    run: {
      tool: 'afd-pipe',
      args: {
        steps: [
          { command: 'user-get', input: { id: 42 }, as: 'who' },
          { command: 'todo-create', input: { title: '$who.name' } },
        ],
      },
    },
    result: {
      success: true,
      data: { id: 't-1', title: 'Alice' },
      metadata: {
        confidence: 0.99,
        confidenceBreakdown: [
          { step: 0, alias: 'who', command: 'user-get', confidence: 0.99, reasoning: 'Looked up user 42' },
          { step: 1, command: 'todo-create', confidence: 1 },
        ],
        reasoning: [{ stepIndex: 0, command: 'user-get', reasoning: 'Looked up user 42' }],
        warnings: [],
        sources: [],
        alternatives: [],
        completedSteps: 2,
        totalSteps: 2,
      },
      steps: [
        {
          index: 0,
          alias: 'who',
          command: 'user-get',
          status: 'success',
          data: { id: 42, name: 'Alice' },
          metadata: { confidence: 0.99, reasoning: 'Looked up user 42' },
        },
        {
          index: 1,
          command: 'todo-create',
          status: 'success',
          data: { id: 't-1', title: 'Alice' },
          metadata: { confidence: 1 },
        },
      ],
    },
  },
]
