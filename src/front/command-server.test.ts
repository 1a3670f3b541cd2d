import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CommandResult } from '../core/result.ts'
import type { Request } from '../crib/request.ts'
import { USAGE_KEY } from '../crib/usage.ts'
import { defineRanker } from '../search/ranker.ts'
import { createBootstrapCommands } from '../sources/commands/builtin-commands.ts'
import { commandOf, namesOf } from '../sources/commands/command.fixture.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { type CommandServer, type CommandServerOptions, createCommandServer } from './command-server.ts'

const request: Request = {
  caller: { principal: 'test', era: 'direct', transport: 'direct' },
  signal: new AbortController().signal,
}

function serverOf(options: Partial<CommandServerOptions> = {}): CommandServer {
  const server = createCommandServer({ name: 'test', version: '1.0.0', commands: [], ...options })
  onTestFinished(() => server.crib[Symbol.asyncDispose]())
  return server
}

/** Returns what was written to stderr while the work ran. */
async function stderrOf(work: () => Promise<unknown>): Promise<string> {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    await work()
    return write.mock.calls.map(([text]) => String(text)).join('')
  } finally {
    write.mockRestore()
  }
}

const boom = new Error('boom')
const throwing = commandOf('job-run', {
  handler: () => {
    throw boom
  },
})
const run = (server: CommandServer, name: string): Promise<CommandResult> => server.crib.call(name, {}, request)

describe('a handler that throws', () => {
  it('writes the message of a thrown error to stderr, without the stack', async () => {
    const server = serverOf({ commands: [throwing] })
    expect(await stderrOf(() => run(server, 'job-run'))).toBe("'job-run' threw: boom\n")
  })

  it('writes a thrown error with its stack to stderr in devMode', async () => {
    const server = serverOf({ commands: [throwing], devMode: true })
    const text = await stderrOf(() => run(server, 'job-run'))
    expect(text).toContain("'job-run' threw: Error: boom\n    at ")
  })

  it.each([true, false])('passes a thrown error to onError instead of stderr, with devMode %s', async (devMode) => {
    const heard: unknown[] = []
    const onError = (...args: unknown[]) => void heard.push(args)
    const server = serverOf({ commands: [throwing], devMode, onError })
    expect(await stderrOf(() => run(server, 'job-run'))).toBe('')
    expect(heard).toEqual([[boom, { command: 'job-run' }]])
    expect((heard[0] as [Error])[0]).toBe(boom) // the line above checks that it is a list
  })
})

describe('a groupByFn that fails', () => {
  const commands = [commandOf('todo-list'), commandOf('order-list')]
  const groupByFn = ({ name }: { name: string }) => {
    if (name === 'todo-list') throw boom
    return 7 as never // a program without types can return this
  }
  const groupsOf = async (server: CommandServer) => namesOf(await server.crib.list(request)).slice(0, 2)

  it('uses the category when groupByFn fails, and calls onError once per command', async () => {
    const heard: string[] = []
    const onError = (error: Error, about?: { command: string }) => heard.push(`${about?.command}: ${error.message}`)
    const server = serverOf({ commands, groupByFn, onError })
    expect(await groupsOf(server)).toEqual(['todo', 'order'])
    server.register(commandOf('user-list'))
    await groupsOf(server)
    expect(heard).toEqual([
      'todo-list: boom',
      'order-list: The groupBy function returned 7 instead of the name of a group.',
      'user-list: The groupBy function returned 7 instead of the name of a group.',
    ])
  })

  it('writes the error to stderr if there is no onError, and warns about an onError that throws', async () => {
    const quiet = serverOf({ commands, groupByFn })
    expect(await stderrOf(() => groupsOf(quiet))).toContain("groupByFn failed for 'todo-list': boom\n")
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
    onTestFinished(() => warn.mockRestore())
    const onError = () => {
      throw new Error('the listener broke')
    }
    const server = serverOf({ commands, groupByFn, onError })
    expect(await groupsOf(server)).toEqual(['todo', 'order'])
    expect(warn).toHaveBeenCalledWith('the listener broke', expect.objectContaining({ type: 'ToolcribListener' }))
  })
})

it('turns the rejection of an async onCommand, onError or listener into a process warning', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => warn.mockRestore())
  const rejecting = (what: string) => async () => {
    throw new Error(what)
  }
  const server = serverOf({
    commands: [throwing],
    onCommand: rejecting('onCommand broke'),
    onError: rejecting('onError broke'),
  })
  server.on('tool:call', rejecting('the listener broke'))
  expect(await run(server, 'job-run')).toMatchObject({ success: false })
  server.createFront().onToolCall?.({} as never) // the listener ignores the event
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(3))
  for (const what of ['onCommand', 'onError', 'the listener'])
    expect(warn).toHaveBeenCalledWith(`${what} broke`, expect.objectContaining({ type: 'ToolcribListener' }))
})

it.each([true, false])('reports stored call counts that cannot be read, with onError %s', async (hasOnError) => {
  const store = createMemoryStore()
  await store.set(USAGE_KEY, ['damaged'])
  const heard: string[] = []
  const onError = (error: Error) => void heard.push(error.message)
  const text = await stderrOf(() => serverOf({ store, ...(hasOnError ? { onError } : {}) }).closeStore())
  const problem = 'The stored numbers of calls are damaged or from another version of Toolcrib; they start again at 0'
  expect([heard, text]).toEqual(hasOnError ? [[problem], ''] : [[], `test: ${problem}\n`])
})

describe("the server's own tools", () => {
  const contexts = [{ name: 'work' }]
  const commands = [commandOf('todo-list'), ...createBootstrapCommands()]

  it("does not call onCommand for the server's own tools, however they are called", async () => {
    const heard: string[] = []
    const server = serverOf({ commands, contexts, onCommand: (name) => void heard.push(name) })
    const own = ['afd-help', 'afd-docs', 'afd-schema', 'afd-context-list', 'afd-discover']
    for (const command of own) {
      await run(server, command)
      await server.crib.call('afd-call', { command }, request)
    }
    expect(heard).toEqual([])
    await server.crib.call('afd-call', { command: 'todo-list' }, request)
    expect(heard).toEqual(['todo-list'])
  })

  it("does not return the server's own tools from getCommands", () => {
    const server = serverOf({ commands, contexts })
    server.register(commandOf('todo-add'))
    expect(namesOf(server.getCommands())).toEqual(['todo-list', 'todo-add'])
  })

  it("gives the server's own tools the prefix of the server", async () => {
    const server = serverOf({ commands, contexts, strategyOptions: { prefix: 'acme' } })
    const names = namesOf(await server.crib.list(request))
    expect(names.filter((name) => name.startsWith('afd-'))).toEqual([])
    expect(names).toEqual(expect.arrayContaining(['acme-help', 'acme-docs', 'acme-schema', 'acme-context-list']))
    expect(await server.crib.call('acme-docs', { command: 'todo-lits' }, request)).toMatchObject({
      error: { suggestion: "Did you mean 'todo-list'? Use acme-discover to list all commands." },
    })
    expect((await run(server, 'afd-help')).error?.code).toBe('COMMAND_NOT_FOUND')
  })

  it('applies the prefix to tools that are registered later, and keeps a prefix that was chosen for them', async () => {
    const server = serverOf({ strategyOptions: { prefix: 'acme' } })
    server.register(...createBootstrapCommands())
    expect((await run(server, 'acme-help')).success).toBe(true)
    const chosen = serverOf({ commands: createBootstrapCommands({ prefix: 'shop' }) })
    expect((await run(chosen, 'shop-help')).success).toBe(true)
  })
})

describe('the ranker of a server', () => {
  it('ranks the results of a search with the ranker of the author', async () => {
    const asked: string[] = []
    const ranker = defineRanker({
      name: 'last-first',
      rank: async ({ tools }) => ({
        async search(query, { limit }) {
          asked.push(query)
          return tools
            .toReversed()
            .slice(0, limit)
            .map(({ id }) => ({ id, relevance: 0.5 }))
        },
      }),
    })
    const commands = [commandOf('job-run'), commandOf('job-stop')]
    const server = serverOf({ commands, ranker, toolStrategy: 'gateway' })
    const { wire } = await server.crib.call('search_tools', { query: 'anything' }, request)
    expect(asked).toEqual(['anything'])
    expect(JSON.stringify(wire)).toMatch(/job-stop.*job-run/)
  })

  it('refuses a ranker that does not exist', () => {
    // @ts-expect-error: no such ranker
    expect(() => serverOf({ ranker: 'nope' })).toThrow("there is no ranker 'nope'")
  })
})
