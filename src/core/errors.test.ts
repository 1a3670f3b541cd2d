import { describe, expect, it } from 'vitest'
import { errorOf, errors, fail, raise, ToolcribError } from './errors.ts'
import { isCommandResult, isFailure } from './result.ts'

const issue = (path: string) => ({ path, message: `Required field '${path}' is missing` })

describe('the table of errors', () => {
  it.each(Object.entries(errors))('gives %s a JSON-RPC code and an exit code', (code, row) => {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
    expect(row.rpc).toBeGreaterThanOrEqual(-32768)
    expect(row.rpc).toBeLessThanOrEqual(-32000)
    expect(Number.isInteger(row.exit) && row.exit > 0 && row.exit < 256).toBe(true)
  })
})

describe('errorOf', () => {
  it('gives the message and the suggestion with the data filled in', () => {
    expect(
      errorOf('COMMAND_NOT_FOUND', { name: 'user-crate', similar: ['user-create'], discover: 'afd-discover' }),
    ).toEqual({
      code: 'COMMAND_NOT_FOUND',
      message: "No command named 'user-crate'",
      suggestion: "Did you mean 'user-create'? Use afd-discover to list all commands.",
    })
  })

  it('COMMAND_NOT_FOUND suggests no name if none is similar', () => {
    expect(errorOf('COMMAND_NOT_FOUND', { name: 'zz', similar: [], discover: 'afd-discover' }).suggestion).toBe(
      'Use afd-discover to list all commands.',
    )
  })

  it('VALIDATION_ERROR names the field that is missing', () => {
    expect(errorOf('VALIDATION_ERROR', { name: 'user-create', issues: [issue('email')], hint: 'Send email.' })).toEqual(
      {
        code: 'VALIDATION_ERROR',
        message: "Invalid input for 'user-create': Required field 'email' is missing",
        suggestion: 'Send email.',
      },
    )
  })

  it('VALIDATION_ERROR lists ten issues and counts the rest', () => {
    const issues = Array.from({ length: 12 }, (_, index) => issue(`f${index}`))
    const { message } = errorOf('VALIDATION_ERROR', { name: 'x', issues, hint: '' })
    expect(message).toContain("'f9'")
    expect(message).not.toContain("'f10'")
    expect(message).toMatch(/; and 2 more$/)
    expect(errorOf('VALIDATION_ERROR', { name: 'x', issues: issues.slice(0, 10), hint: '' }).message).not.toMatch(
      /more$/,
    )
  })

  it('CONTEXT_MISMATCH names the context to enter', () => {
    const error = errorOf('CONTEXT_MISMATCH', {
      name: 'order-refund',
      active: 'support',
      contexts: ['billing', 'admin'],
      enter: 'afd-context-enter',
    })
    expect(error.message).toBe(
      "Command 'order-refund' is not available in context 'support'; it belongs to 'billing', 'admin'",
    )
    expect(error.suggestion).toMatch(/^Call afd-context-enter with context 'billing'/)
  })

  it('CONTEXT_NOT_FOUND lists the existing contexts, or states that there are none', () => {
    expect(errorOf('CONTEXT_NOT_FOUND', { context: 'x', contexts: ['a', 'b'] }).suggestion).toBe("Use one of 'a', 'b'.")
    expect(errorOf('CONTEXT_NOT_FOUND', { context: 'x', contexts: [] }).suggestion).toMatch(/has no contexts/)
  })

  it('shortens a name that is a megabyte long', () => {
    const name = 'x'.repeat(1_000_000)
    expect(errorOf('COMMAND_NOT_FOUND', { name, similar: [], discover: 'd' }).message.length).toBeLessThan(200)
    expect(errorOf('CONTEXT_NOT_FOUND', { context: name, contexts: [] }).message.length).toBeLessThan(200)
    expect(errorOf('INVALID_PIPE_REFERENCE', { step: 0, reference: name, reason: 'r' }).message.length).toBeLessThan(
      200,
    )
    expect(errorOf('UNKNOWN_STRATEGY', { name, names: [] }).message.length).toBeLessThan(200)
  })

  it('SHUTTING_DOWN says that a request did not run only if it had not begun', () => {
    expect(errorOf('SHUTTING_DOWN', { hasBegun: false }).suggestion).toMatch(/^The request did not run\./)
    expect(errorOf('SHUTTING_DOWN', { hasBegun: true }).suggestion).toMatch(/^The request may have run\./)
  })

  it('TOOL_CHANGED names the command that approves the tool, unless the pins cannot be read', () => {
    const tool = { server: 'git', name: 'push' }
    expect(errorOf('TOOL_CHANGED', { ...tool, kind: 'new' }).suggestion).toContain('`toolcrib pins approve git:push`')
    expect(errorOf('TOOL_CHANGED', { ...tool, kind: 'unknown' }).suggestion).not.toContain('toolcrib pins')
  })

  it('SERVER_UNAVAILABLE quotes the name of the server in the command to run, if it has special characters', () => {
    expect(errorOf('SERVER_UNAVAILABLE', { server: 'my notes', reason: 'gone' }).suggestion).toBe(
      "Use another server; `toolcrib doctor 'my notes'` shows more.",
    )
  })

  it('sets retryable only if the table does', () => {
    expect(errorOf('RATE_LIMITED', { name: 'x', limit: 1, windowMs: 10, retryAfterMs: 5 }).retryable).toBe(true)
    const down = { server: 'x', reason: 'gone' }
    expect(errorOf('SERVER_UNAVAILABLE', { ...down, retryAfterMs: 0 }).retryable).toBe(true)
    expect(errorOf('SERVER_UNAVAILABLE', { ...down, remedy: 'mend it' }).retryable).toBe(false)
    expect(errorOf('UNAUTHORIZED', {})).not.toHaveProperty('retryable')
  })

  it('sets details only if there are some', () => {
    expect(errorOf('UNAUTHORIZED', {}, { realm: 'mcp' }).details).toEqual({ realm: 'mcp' })
    expect(errorOf('UNAUTHORIZED', {})).not.toHaveProperty('details')
  })
})

describe('fail', () => {
  it('returns a failure that is a CommandResult', () => {
    const result = fail('CANCELLED', { name: 'order-get' })
    expect(isFailure(result) && isCommandResult(result)).toBe(true)
    expect(result.error.message).toBe("'order-get' was cancelled before it finished")
  })

  it('puts details into the error, and the other extras into the result', () => {
    const result = fail('STEP_SKIPPED', { reason: 'step 1 failed' }, { details: { step: 1 }, reasoning: 'because' })
    expect(result.error.details).toEqual({ step: 1 })
    expect(result.reasoning).toBe('because')
    expect(result).not.toHaveProperty('details')
  })
})

describe('raise', () => {
  it('throws an error with the code, and with the fix in its message', () => {
    const thrown = catchThrown(() => raise('DUPLICATE_COMMAND', { name: 'order-get' }))
    expect(thrown).toBeInstanceOf(ToolcribError)
    expect(thrown).toBeInstanceOf(Error)
    expect(thrown).toMatchObject({
      name: 'ToolcribError',
      code: 'DUPLICATE_COMMAND',
      message: "Two commands are named 'order-get'. Rename one of them; names are unique in a server.",
      suggestion: 'Rename one of them; names are unique in a server.',
    })
  })

  it('throws an error with only the message if there is no fix', () => {
    expect(new ToolcribError('TIMEOUT', { code: 'TIMEOUT', message: 'Too slow' }).message).toBe('Too slow')
  })
})

function catchThrown(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
