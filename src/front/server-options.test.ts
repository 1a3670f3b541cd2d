import { describe, expect, it } from 'vitest'
import { ToolcribError } from '../core/errors.ts'
import { commandOf } from '../sources/commands/command.fixture.ts'
import { createMcpServer, type McpServerOptions } from './create-mcp-server.ts'

const good = { name: 'test', version: '1.0.0', commands: [commandOf('todo-list')] }

/** The error text. The options are `unknown`, because JavaScript callers can pass anything. */
function refusalOf(options: unknown): string {
  try {
    createMcpServer(options as McpServerOptions)
  } catch (error) {
    if (error instanceof ToolcribError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'created'
}

describe('options of a server', () => {
  it('createMcpServer accepts valid options, and treats undefined ones as absent', () => {
    const valid = {
      ...good,
      registry: undefined,
      toolStrategy: 'lazy',
      strategyOptions: { prefix: 'acme' },
      groupByFn: () => 'x',
      contexts: [{ name: 'sales', description: 'Selling', triggers: ['buy'], priority: 1 }],
      middleware: [],
      devMode: true,
      onCommand: () => {},
      onError: () => {},
      transport: 'http',
      port: 0,
      host: 'localhost',
      cors: ['https://app.example.com'],
      auth: { tokens: {} },
    }
    expect(refusalOf(valid)).toBe('created')
    const undefinedOnes = Object.fromEntries(Object.keys(valid).map((key) => [key, undefined]))
    expect(refusalOf({ ...undefinedOnes, ...good })).toBe('created')
  })

  it.each([
    [{ name: 7 }, 'Invalid name: expected a text that is not empty, found 7'],
    [{ name: undefined }, 'Invalid name: expected a text that is not empty, found nothing'],
    [{ name: '' }, "Invalid name: expected a text that is not empty, found ''"],
    [{ version: 1 }, 'Invalid version: expected a text that is not empty, found 1'],
    [{ commands: undefined }, 'Invalid commands: expected a list of commands, found nothing'],
    [{ commands: {} }, 'Invalid commands: expected a list of commands, found an object'],
    [{ commands: [undefined] }, 'Invalid commands: entry 1: expected the result of defineCommand(), found nothing'],
    [{ commands: [[]] }, 'Invalid commands: entry 1: expected the result of defineCommand(), found an array'],
    [{ contexts: 'sales' }, "Invalid contexts: expected a list of contexts, found 'sales'"],
    [{ contexts: ['sales'] }, "Invalid contexts: entry 1: expected an object with a name, found 'sales'"],
    [{ contexts: [null] }, 'Invalid contexts: entry 1: expected an object with a name, found null'],
    [{ registry: [] }, 'Invalid registry: expected the result of createCommandRegistry(), found an array'],
    [
      { toolStrategy: 7 },
      'Invalid toolStrategy: expected the name of a strategy or the result of defineStrategy(), found 7',
    ],
    [{ strategyOptions: 'lazy' }, "Invalid strategyOptions: expected an object, found 'lazy'"],
    [{ groupByFn: 'category' }, "Invalid groupByFn: expected a function, found 'category'"],
    [{ middleware: () => {} }, 'Invalid middleware: expected a list of functions, found a function'],
    [{ middleware: [7] }, 'Invalid middleware: entry 1: expected a function, found 7'],
    [{ devMode: 'yes' }, "Invalid devMode: expected true or false, found 'yes'"],
    [{ onCommand: {} }, 'Invalid onCommand: expected a function, found an object'],
    [{ onError: null }, 'Invalid onError: expected a function, found null'],
    [{ transport: 'tcp' }, "Invalid transport: expected one of 'stdio', 'http', 'auto', found 'tcp'"],
    [{ port: 99_999 }, 'Invalid port: expected a whole number from 0 to 65535, found 99999'],
    [{ port: '3100' }, "Invalid port: expected a whole number from 0 to 65535, found '3100'"],
    [{ port: -1 }, 'Invalid port: expected a whole number from 0 to 65535, found -1'],
    [{ port: 1.5 }, 'Invalid port: expected a whole number from 0 to 65535, found 1.5'],
    [{ host: 7 }, 'Invalid host: expected a text, found 7'],
    [{ cors: 7 }, 'Invalid cors: expected true, an origin or a list of origins, found 7'],
    [{ auth: 'secret' }, "Invalid auth: expected an object, found 'secret'"],
    [{ auth: { token: {} } }, "Invalid auth: 'token' is not one of its fields. Did you mean 'tokens'?"],
    [{ auth: { verify: 'me' } }, "Invalid auth.verify: expected a function, found 'me'"],
    [{ auth: { tokens: 'x' } }, "Invalid auth.tokens: expected an object, found 'x'"],
    [
      { toolStratgy: 'lazy' },
      "Invalid options of createMcpServer: 'toolStratgy' is not one of its fields. Did you mean 'toolStrategy'?",
    ],
    [{ zzz: 1 }, "Invalid options of createMcpServer: 'zzz' is not one of its fields. Use one of 'name',"],
  ])('createMcpServer refuses the options %o', (options, message) => {
    expect(refusalOf({ ...good, ...options })).toContain(`INVALID_OPTIONS: ${message}`)
  })

  it.each([
    [undefined, 'nothing'],
    ['todos', "'todos'"],
  ])('createMcpServer refuses %j instead of options', (options, found) => {
    expect(refusalOf(options)).toContain(`Invalid options of createMcpServer: expected an object, found ${found}`)
  })
})

describe('register', () => {
  it('register accepts only commands, and names the invalid entry', () => {
    const server = createMcpServer(good)
    // A program without types can pass this.
    expect(() => server.register(commandOf('todo-add'), undefined as never)).toThrow(
      'entry 2: expected the result of defineCommand(), found nothing',
    )
    expect(server.getCommands().map(({ name }) => name)).toEqual(['todo-list'])
  })
})

describe('on', () => {
  it("on accepts only the event 'tool:call' and a function", () => {
    const { on } = createMcpServer(good)
    // A program without types can pass this.
    expect(() => on('bogus' as never, () => {})).toThrow("Invalid event: expected 'tool:call', found 'bogus'")
    expect(() => on('tool:call', 'me' as never)).toThrow("Invalid listener: expected a function, found 'me'")
  })
})
