// toolcrib execute: calls a tool through the same dispatcher as the call of a client.

import type { Command } from 'commander'
import type { LoadedConfig } from '../../../config/load/load.ts'
import type { CommandError } from '../../../core/result.ts'
import type { View } from '../../../disclosure/view.ts'
import type { Environment } from '../../../setup/environment.ts'
import type { CommandSession } from '../../gateway/session.ts'
import { errorOfThrown, exitCodeOf, forPeople, howToInspect, unavailable } from '../../output/error-for-people.ts'
import { withNoServersReason } from '../../output/notes.ts'
import { canAsk } from '../../output/terminal.ts'
import { oneLine, wrap } from '../../output/text.ts'
import { type CommonFlags, commandOf, failWith, INTERRUPTED, run, type Work } from '../../output/work.ts'
import { type NamedTool, readToolWords, serverNeedFor, withNamedTool } from '../../words/tool-words.ts'
import type { Arguments } from './read-arguments.ts'

interface ExecuteFlags extends CommonFlags {
  readonly args?: string
  readonly stream?: boolean
  readonly out?: string
}

/** The exit code if the tool has run, but its content could not be saved. */
const UNSAVED = 1

export function createCommand(environment: Environment): Command {
  return commandOf(
    'execute',
    'Run a tool of any server.',
    `execute files read_text_file --args '{"path":"notes.txt"}'`,
    'execute files:read_text_file path=notes.txt --json',
  )
    .argument('<server>', 'the name of the server, or server:tool')
    .argument('[words...]', 'the name of the tool, then key=value arguments, converted to the types in its schema')
    .option('--args <json>', 'the arguments as JSON, @file to read them from a file, - from stdin')
    .option('--stream', 'show progress and log messages while the tool runs')
    .option('--out <dir>', 'save images, audio and other binary content in this folder')
    .action((server: string, words: readonly string[], flags: ExecuteFlags) =>
      run(environment, flags, (work) => execute(work, [server, ...words], flags)),
    )
}

async function execute(work: Work, words: readonly string[], flags: ExecuteFlags): Promise<number> {
  const { loadValid } = await import('../../../setup/load-config.ts')
  const loaded = await loadValid(work)
  const named = readToolWords(words, enabledIn(loaded), 'execute')
  try {
    return await executeNamed(work, named, flags, loaded)
  } catch (thrown) {
    if (work.signal.aborted) throw thrown
    return reportFailure(work, forPeople(withNamedTool(errorOfThrown(thrown), named), typedIn(named)), named)
  }
}

async function executeNamed(work: Work, named: NamedTool, flags: ExecuteFlags, loaded: LoadedConfig): Promise<number> {
  const { output, signal, environment } = work
  const { CALLER, openReadySession } = await import('../../gateway/session.ts')
  const { readJsonArguments } = await import('./read-arguments.ts')
  const stated = flags.args === undefined ? undefined : await readJsonArguments(flags.args, environment.cwd)
  await using session = await openReadySession(work, serverNeedFor(named), { loaded, startsServers: true })
  const { server, tool } = named
  const typedId = server === undefined ? tool : `${server}:${tool}`
  const announce = (id: string) => {
    if (!output.isQuiet) output.print(`Executing: ${id}`, '')
  }
  const unreachable = session.unreached.get(server ?? '')
  if (unreachable !== undefined) {
    announce(oneLine(typedId))
    return reportFailure(work, unavailable(server ?? '', unreachable), named)
  }

  const view = await session.view()
  const target = view.lookup({ server, tool })
  const id = oneLine(target.found ? target.tool.id : typedId)
  announce(id)
  const args = { ...(await readArguments(work, target, { ...named, id }, stated !== undefined)), ...stated }

  const { answerServer, follow, withClientNeeds } = await import('./attend-call.ts')
  const followed = follow(output, id, flags.stream === true)
  const wanted = { ...(server === undefined ? {} : { server }), tool, arguments: args }
  const answers = answerServer(work, id, followed.hold)
  const { progress, log } = followed
  const caller = { ...CALLER, capabilities: answers.capabilities }
  const { onServerRequest } = answers
  const result = await session.execute(wanted, { caller, progress, log, onServerRequest })
  followed.end()
  if (signal.aborted) return reportCancelled(work, id)
  if (result.error !== undefined) {
    await rememberFailedStart(work, session, target.found ? target.tool.sourceId : server)
    const { withDisablingRule } = await import('../../gateway/disabled-by.ts')
    const failed = forPeople(withNamedTool(result.error, named), typedIn(named))
    const explained = withClientNeeds(failed, id, answers.wantedModel)
    if (explained !== failed) output.detail(failed.message)
    const error = withDisablingRule(explained, named, { loaded, view, home: environment.home })
    const { explainUnknownServer } = await import('../../config-changes/other-configs.ts')
    const failure = withNoServersReason(error, session.servers.length, session)
    return reportFailure(work, await explainUnknownServer(work, failure, server ?? ''), named)
  }

  if (answers.wantedModel) output.note(`${id} asked for the answer of a model, but the command line has no model.`)
  const { showResult } = await import('./show-result.ts')
  const shown = await showResult(result, { out: flags.out, cwd: environment.cwd, tool })
  const indent = output.isQuiet ? '' : '  '
  output.show(shown.document, () => [
    ...(output.isQuiet ? [] : [output.paint.green('✓ Success'), '', 'Result:']),
    ...shown.lines.map((line) => (line === '' ? '' : `${indent}${line}`)),
  ])
  if (shown.unsaved === undefined) return 0
  const what = `The tool has run, but its content was not saved in ${flags.out}: ${shown.unsaved}`
  const todo = 'To get the content, run the tool again with another --out or with --json.'
  output.printError(what, output.isJson ? 'The output has the content.' : todo)
  return UNSAVED
}

function typedIn({ tool }: NamedTool) {
  return { command: 'execute', tool } as const
}

/** Stores the failed start, so that `list` shows it. */
async function rememberFailedStart(work: Work, session: CommandSession, server = ''): Promise<void> {
  const { state, reason, loginCommand } = session.source(server)?.info() ?? {}
  if (state !== 'failed' || reason === undefined) return
  const { rememberFailures } = await import('../../gateway/failed-starts.ts')
  await rememberFailures(work.environment, session.startable, new Map([[server, { reason, loginCommand }]]))
}

function enabledIn({ servers }: LoadedConfig): readonly string[] {
  return servers.filter(({ enabled }) => enabled).map(({ name }) => name)
}

/** Reads key=value words, or asks the person at the terminal. `isStated`: the arguments are in --args. */
async function readArguments(
  { output, signal }: Work,
  target: ReturnType<View['lookup']>,
  named: NamedTool & { readonly id: string },
  isStated: boolean,
): Promise<Arguments> {
  const isCallable = target.found && target.visibility.degree === 'visible'
  const schema = isCallable ? target.tool.inputSchema : {}
  const { readPairs } = await import('./read-arguments.ts')
  if (named.rest.length > 0) {
    const [server, tool] = target.found ? [target.tool.sourceId, target.tool.name] : ['', named.tool]
    return readPairs(named.rest, { schema, name: named.id, hint: howToInspect(server, tool) })
  }
  if (isStated || !isCallable || !canAsk(output.terminal) || output.isJson) return {}
  const { askArguments } = await import('./ask-field.ts')
  return askArguments(schema, output.errPaint, signal)
}

function reportCancelled({ output }: Work, id: string): number {
  const message = `${id} was cancelled, and its server was notified; a change that it was making may have happened`
  if (output.isJson) output.show({ success: false, error: { code: 'CANCELLED', message } }, () => [])
  output.printError(`${message}.`)
  return INTERRUPTED
}

/** Prints an error of a call: of its arguments, its server, its rules or the tool itself. Returns the exit code. */
function reportFailure(work: Work, given: CommandError, named: NamedTool): number {
  const { output } = work
  const error = withNamedTool(given, named)
  if (output.isJson) return failWith(output, error)
  const { code, message, server = '', tool = '', suggestion = '' } = error
  const { errPaint, width } = output
  const fields = [
    `Code: ${code}`,
    ...wrap(`Message: ${output.keepConfig(message)}`, width),
    ...(server === '' ? [] : [`Server: ${oneLine(server)}`]),
    ...(tool === '' ? [] : [`Tool: ${oneLine(tool)}`]),
    ...(suggestion === '' ? [] : output.wrap(`Next: ${output.keepConfig(suggestion)}`)),
  ]
  output.printErrorLines([errPaint.red('✗ Error'), '', ...fields])
  return exitCodeOf(error)
}
