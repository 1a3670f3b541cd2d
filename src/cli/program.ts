// Builds the commander program. Loads only the named command, and chooses `status` or `serve` if no command is named.

import { Command, Help } from 'commander'
import type { Environment } from '../setup/environment.ts'
import type { BuildOptions } from './commands/build-options.ts'
import { withCommandFirst } from './words/global-options.ts'

/**
 * The commands, in the order in which help lists them. A new command needs only a line here: help, completion (by the
 * names of its arguments, see `complete.ts`) and the table in docs/cli.md are made from its definition.
 */
const COMMANDS: Readonly<Record<string, (environment: Environment, options: BuildOptions) => Promise<Command>>> = {
  list: async (environment) => (await import('./commands/list.ts')).listCommand(environment),
  search: async (environment) => (await import('./commands/search/search.ts')).searchCommand(environment),
  tools: async (environment) => (await import('./commands/tools.ts')).toolsCommand(environment),
  inspect: async (environment) => (await import('./commands/inspect/inspect.ts')).inspectCommand(environment),
  execute: async (environment) => (await import('./commands/execute/execute.ts')).executeCommand(environment),
  config: async (environment) => (await import('./commands/config/config.ts')).configCommand(environment),
  add: async (environment) => (await import('./commands/add/add.ts')).addCommand(environment),
  remove: async (environment) => (await import('./commands/remove/remove.ts')).removeCommand(environment),
  enable: async (environment) => (await import('./commands/enable.ts')).enableCommand(environment),
  disable: async (environment) => (await import('./commands/disable.ts')).disableCommand(environment),
  import: async (environment) => (await import('./commands/import/import.ts')).importCommand(environment),
  trust: async (environment) => (await import('./commands/trust/trust.ts')).trustCommand(environment),
  pins: async (environment) => (await import('./commands/pins/pins.ts')).pinsCommand(environment),
  install: async (environment) => (await import('./commands/install/install.ts')).installCommand(environment),
  uninstall: async (environment) => (await import('./commands/uninstall/uninstall.ts')).uninstallCommand(environment),
  login: async (environment) => (await import('./commands/login/login.ts')).loginCommand(environment),
  logout: async (environment) => (await import('./commands/logout/logout.ts')).logoutCommand(environment),
  token: async (environment) => (await import('./commands/token/token.ts')).tokenCommand(environment),
  doctor: async (environment) => (await import('./commands/doctor/doctor.ts')).doctorCommand(environment),
  logs: async (environment) => (await import('./commands/logs/logs.ts')).logsCommand(environment),
  eval: async (environment) => (await import('./commands/eval/eval.ts')).evalCommand(environment),
  stats: async (environment) => (await import('./commands/stats/stats.ts')).statsCommand(environment),
  status: async (environment) => (await import('./commands/status.ts')).statusCommand(environment),
  completion: async (environment) => (await import('./commands/completion.ts')).completionCommand(environment),
  complete: async (environment) =>
    (await import('./commands/complete.ts')).completeCommand(environment, (name) => createProgram(environment, name)),
  serve: async (environment, options) => (await import('./commands/serve/serve.ts')).serveCommand(environment, options),
  inspector: async (environment) => (await import('./commands/inspector/inspector.ts')).inspectorCommand(environment),
  wrap: async (environment, options) => (await import('./commands/wrap/wrap.ts')).wrapCommand(environment, options),
  example: async () => (await import('./commands/example.ts')).exampleCommand(),
}

/** `first` is the first word of the command line. If it is the name of a command, only that command is loaded. */
export async function createProgram(environment: Environment, first = ''): Promise<Command> {
  const program = new Command('toolcrib')
    .description('One MCP endpoint in front of any set of tools.')
    .version(environment.version)
    .usage('[command] [options]')
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
  const commands = await Promise.all(names.map((name) => COMMANDS[name]?.(environment, { isNamed })))
  for (const command of commands) {
    if (command === undefined) continue
    inheritSettings(command, program)
    program.addCommand(command, { hidden: command.name() === 'complete' })
  }
  return program
}

/** The options that every command has. Any other option without a command means `serve`. */
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
