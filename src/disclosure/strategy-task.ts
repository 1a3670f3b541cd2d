// The script of a typical task: an agent finds a tool, reads its parameters and calls it. Each strategy has its own.

import type { ListedTool } from '../core/tool.ts'

/** The names of one tool, as an agent knows them. */
export interface TaskTool {
  /** The name in flat listings. */
  readonly name: string
  /** The name for meta-tools: `server:tool`, or the tool's name if there is only one source. */
  readonly id: string
  /** The server, if there are several. */
  readonly server?: string
  /** The name of the tool at its server, if there are several servers. */
  readonly tool?: string
  /** The group of the tool under the strategy `grouped`. */
  readonly group: string
  /** The action of this group that calls the tool. */
  readonly action: string
  /** The category of the tool. */
  readonly category: string
  /** A search query that should find the tool. */
  readonly words: string
}

/** The connection of the agent. `Result` is the type of a call's result in the program that runs the script. */
export interface TaskClient<Result> {
  /** The tools that the client lists. */
  list(): Promise<readonly Pick<ListedTool, 'name' | 'inputSchema'>[]>
  /** Calls a tool, and returns its result. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<Result>
  /** Calls a meta-tool and returns the text of its answer. Rejects if the answer is an error. */
  ask(name: string, args: Readonly<Record<string, unknown>>): Promise<string>
}

/**
 * The inspector, the tests in `test/matrix` and the token benchmark run these scripts. An agent skips `find` and
 * `inspect` for a tool that is listed with its schema, and `find` for a tool that is listed without it.
 */
export interface StrategyTask {
  /** Returns a text that contains the tool, and no tool that the caller may not see. */
  find<Result>(client: TaskClient<Result>, tool: TaskTool): Promise<string>
  /** Makes the tool callable, for strategies that need it. The result is not checked: without success, `call` fails. */
  prepare?<Result>(client: TaskClient<Result>, tool: TaskTool): Promise<unknown>
  /** Returns a text that contains the tool's parameters. */
  inspect<Result>(client: TaskClient<Result>, tool: TaskTool): Promise<string>
  /** Calls the tool with these arguments. */
  call<Result>(client: TaskClient<Result>, tool: TaskTool, args: Readonly<Record<string, unknown>>): Promise<Result>
}

/** The entry of the listing with this name as JSON text; `{}` if there is none. */
export async function listedAs<Result>(client: TaskClient<Result>, name: string): Promise<string> {
  return JSON.stringify((await client.list()).find((tool) => tool.name === name) ?? {})
}

export const callsByName: StrategyTask['call'] = (client, { name }, args) => client.call(name, args)

/** For listings that contain every tool with its schema. */
export const readsListing: StrategyTask = {
  find: async (client) => JSON.stringify((await client.list()).map(({ name }) => name)),
  inspect: (client, { name }) => listedAs(client, name),
  call: callsByName,
}
