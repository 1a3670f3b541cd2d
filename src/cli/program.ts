// Builds the commander program. Loads only the named command, and chooses `status` or `serve` if no command is named.

import { Command, Help } from 'commander'
import type { Environment } from '../setup/environment.ts'
import type { BuildOptions } from './output/work.ts'
import { withCommandFirst } from './words/options.ts'

interface CommandModule {
  createCommand(environment: Environment, options: BuildOptions): Command | Promise<Command>
}

/**
 * The commands, in the groups and the order in which help lists them. A new command needs a line here. Help, completion
 * (by the names of its arguments, see `complete.ts`) and the table in docs/cli.md are made from its definition.
 */
const GROUPS: Readonly<Record<string, Readonly<Record<string, () => Promise<CommandModule>>>>> = {
  'Find and call tools:': {
    list: () => import('./commands/list.ts'),
    search: () => import('./commands/search/search.ts'),
    tools: () => import('./commands/tools.ts'),
    inspect: () => import('./commands/inspect/inspect.ts'),
    execute: () => import('./commands/execute/execute.ts'),
  },
  'Set up servers and clients:': {
    config: () => import('./commands/config/config.ts'),
    add: () => import('./commands/add/add.ts'),
    remove: () => import('./commands/remove.ts'),
    enable: () => import('./commands/enable.ts'),
    disable: () => import('./commands/disable.ts'),
    import: () => import('./commands/import/import.ts'),
    install: () => import('./commands/install/install.ts'),
    uninstall: () => import('./commands/uninstall/uninstall.ts'),
  },
  'Logins, rights and approvals:': {
    trust: () => import('./commands/trust/trust.ts'),
    pins: () => import('./commands/pins/pins.ts'),
    login: () => import('./commands/login.ts'),
    logout: () => import('./commands/logout.ts'),
    token: () => import('./commands/token/token.ts'),
  },
  'Serve tools:': {
    serve: () => import('./commands/serve/serve.ts'),
    inspector: () => import('./commands/inspector/inspector.ts'),
    wrap: () => import('./commands/wrap/wrap.ts'),
    example: () => import('./commands/example.ts'),
  },
  'Check and measure:': {
    status: () => import('./commands/status.ts'),
    doctor: () => import('./commands/doctor/doctor.ts'),
    logs: () => import('./commands/logs/logs.ts'),
    stats: () => import('./commands/stats/stats.ts'),
    eval: () => import('./commands/eval/eval.ts'),
  },
  'Shell:': {
    completion: () => import('./commands/completion.ts'),
    complete: () => import('./commands/complete.ts'),
  },
}
// `Object.assign` returns `any`; each of its arguments is a group.
const COMMANDS = Object.assign({}, ...Object.values(GROUPS)) as (typeof GROUPS)[string]

/** `first` is the first word of the command line. If it is the name of a command, only that command is loaded. */
export async function createProgram(environment: Environment, first = ''): Promise<Command> {
  const program = new Command('toolcrib')
    .description('One MCP endpoint in front of any set of tools.')
    .version(environment.version)
    .usage('[command] [options]')
    .helpCommand('help [command]', 'Show the help of a command.')
    .showSuggestionAfterError(true)
    // The command list shows names without arguments, to leave room for the descriptions.
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      // commander would print "(default: false)" for every switch, and "(default: [])" for a list.
      optionDescription: (option) =>
        option.defaultValue === false || Array.isArray(option.defaultValue)
          ? option.description
          : new Help().optionDescription(option),
    })
    .exitOverride()
    // The caller of `parseAsync` prints the error once, in our format.
    .configureOutput({ outputError: () => {} })
    .addHelpText('after', '\nExample:\n  $ toolcrib search "read file"')
  const isNamed = Object.hasOwn(COMMANDS, first)
  const names = isNamed ? [first] : Object.keys(COMMANDS)
  const options = { isNamed, createProgram: (name: string) => createProgram(environment, name) }
  const modules = await Promise.all(names.map((name) => COMMANDS[name]?.()))
  const commands = await Promise.all(modules.map((module) => module?.createCommand(environment, options)))
  for (const command of commands) {
    if (command === undefined) continue
    inheritSettings(command, program)
    command.helpGroup(groupOf(command.name()))
    program.addCommand(command, { hidden: command.name() === 'complete' })
  }
  // Sets the group of commander's own command `help`, which is created last.
  return program.commandsGroup('Shell:').helpCommand(true)
}

function groupOf(name: string): string {
  return Object.keys(GROUPS).find((title) => Object.hasOwn(GROUPS[title] ?? {}, name)) ?? ''
}

/** Options of `status` and of `serve`. Without a command, any other long option means `serve`. */
const COMMON_OPTIONS = /^--(?:json|quiet|verbose|config)(?:=|$)/
const PROGRAM_OPTIONS = new Set(['-h', '--help', '-V', '--version'])

/**
 * Without a command, a person at a terminal gets `status`, and an MCP client that started the process gets `serve`.
 * Options of `serve` mean `serve` on a terminal too, and --json means `status` without a terminal too.
 */
export function withDefaultCommand(given: readonly string[], isTerminal: boolean): readonly string[] {
  const words = withCommandFirst(given)
  const [first] = words
  if (first !== undefined && (!first.startsWith('-') || PROGRAM_OPTIONS.has(first))) return words
  const meansServe =
    words.some((word) => word.startsWith('--') && !COMMON_OPTIONS.test(word)) ||
    (!isTerminal && !words.includes('--json'))
  return [meansServe ? 'serve' : 'status', ...words]
}

/** commander copies these settings only for commands that it creates itself. */
function inheritSettings(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent)
  for (const child of command.commands) inheritSettings(child, command)
}
