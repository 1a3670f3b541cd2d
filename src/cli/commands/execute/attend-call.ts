// While a call runs: shows its progress and log messages, and answers the requests of its server.

import type { LogLevel, ServerRequest } from '../../../core/call.ts'
import { isRecord } from '../../../core/is-record.ts'
import { createSchemaValidator } from '../../../core/json-schema.ts'
import { argumentFields } from '../../../core/parameters/argument-fields.ts'
import type { Field } from '../../../core/parameters/schema-form.ts'
import { createSchemaReader } from '../../../core/parameters/schema-reader.ts'
import type { CommandError } from '../../../core/result.ts'
import type { Request } from '../../../crib/request.ts'
import { type Asker, createAsker, isYes } from '../../output/ask.ts'
import { bar, type Output } from '../../output/output.ts'
import { canAsk } from '../../output/terminal.ts'
import { oneLine, plain, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { askField } from './ask-field.ts'

interface Followed {
  progress(done: number, total?: number, message?: string): void
  log(level: LogLevel, data: unknown): void
  /** Hides the progress line until the returned function is called. */
  hold(): () => void
  /** Removes the progress line after the call. */
  end(): void
}

/**
 * Shows the progress of a call: on a terminal one line that is updated, else with --stream a new line for each step.
 * With --stream, also prints the log messages.
 */
export function follow(output: Output, what: string, isStreamed: boolean): Followed {
  const line = output.progress()
  const isLive = output.terminal.isStderrTty
  /** How many callers of `hold` hide the progress line. */
  let held = 0
  line.show(`Running ${what}…`)
  return {
    hold() {
      held += 1
      line.clear()
      return () => {
        held -= 1
      }
    },
    progress(done, total, message) {
      const text = bar(done, total, oneLine(message ?? ''))
      if (held > 0) return
      if (isLive) line.show(text)
      else if (isStreamed) output.note(text)
    },
    log(level, data) {
      if (!isStreamed) return
      line.clear()
      output.note(`${level}: ${typeof data === 'string' ? plain(data) : plain(JSON.stringify(data) ?? '')}`)
    },
    end: () => line.clear(),
  }
}

type Fields = Readonly<Record<string, unknown>>
type OnServerRequest = NonNullable<Request['onServerRequest']>

interface ServerAnswers {
  /** The client capabilities that the command line declares for this call. */
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly onServerRequest: OnServerRequest
  /** True after the server sent a sampling request, which needs a model. The command line has no model. */
  readonly wantedModel: boolean
}

/** `what` is the name of the tool. `hold` hides the progress line until the function that it returns is called. */
export function answerServer(work: Work, what: string, hold: () => () => void): ServerAnswers {
  const { output } = work
  const isAskable = canAsk(output.terminal) && !output.isJson
  let wantedModel = false
  // Asks one question at a time, even if several requests arrive at once.
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = (answer: () => Promise<Fields>): Promise<Fields> => {
    const turn = last.then(answer)
    last = turn.catch(() => {})
    return turn
  }
  const elicit = async (params: Fields, signal: AbortSignal): Promise<Fields> => {
    // The call may have been cancelled while an earlier question was open.
    signal.throwIfAborted()
    const release = hold()
    const asker = createAsker()
    try {
      return await askPerson(params, { work, what, asker, signal })
    } finally {
      asker.close()
      release()
    }
  }
  return {
    capabilities: isAskable ? { elicitation: { form: {}, url: {} } } : {},
    get wantedModel() {
      return wantedModel
    },
    async onServerRequest(request, signal) {
      if (request.method === 'sampling/createMessage') wantedModel = true
      if (request.method === 'elicitation/create') {
        if (isAskable) return inTurn(() => elicit(request.params, signal))
        output.note(declinedText(request, what))
      }
      // After this error, the source of the server answers the request as for a client without this capability.
      throw new Error(`The command line cannot answer ${request.method}`)
    },
  }
}

const CAPABILITY_MISSING = 'CLIENT_CAPABILITY_MISSING'

/**
 * Rewrites the error of a tool that needs a client capability which the command line does not have. `what` is the name
 * of the tool. `wantedModel`: its server sent a sampling request while the tool ran.
 */
export function withClientNeeds(error: CommandError, what: string, wantedModel: boolean): CommandError {
  const needed = isRecord(error.details) ? error.details.requiredCapabilities : undefined
  const needs = (capability: string) =>
    error.code === CAPABILITY_MISSING && isRecord(needed) && Object.hasOwn(needed, capability)
  if ((wantedModel && error.code === 'TOOL_EXECUTION_ERROR') || needs('sampling')) {
    return {
      ...error,
      code: CAPABILITY_MISSING,
      message: `${what} asks the model of the client (sampling), and the command line has no model`,
      suggestion: 'Call it from a client that supports sampling; `toolcrib install` lists clients.',
    }
  }
  if (!needs('elicitation')) return error
  return {
    ...error,
    message: `${what} asks the user questions (elicitation), and no person can be asked`,
    suggestion: 'Run it on a terminal, without --json.',
  }
}

interface PersonQuestion {
  readonly work: Work
  readonly what: string
  readonly asker: Asker
  readonly signal: AbortSignal
}

const DECLINED = { action: 'decline' }

async function askPerson(params: Fields, { work, what, asker, signal }: PersonQuestion): Promise<Fields> {
  const { width, errPaint: paint } = work.output
  const print = (...lines: readonly string[]) => process.stderr.write(`${lines.join('\n')}\n`)
  print('', paint.bold(`${what} asks you:`), ...wrap(messageOf(params), width, '  '))
  if (params.mode === 'url') {
    // Not wrapped, because a broken URL cannot be opened.
    print(`  ${oneLine(String(params.url))}`, 'Open it in a browser only if you trust it.')
    const answer = await asker.ask('Do you agree to open this address? [y/N] ', signal)
    return isYes(answer) ? { action: 'accept' } : DECLINED
  }
  const { fields, read, schema } = fieldsOf(params)
  const consent = await asker.ask('Do you want to answer? [Y/n] ', signal)
  if (consent === undefined || !(consent.trim() === '' || isYes(consent))) return DECLINED
  if (fields.length > 0) print(paint.dim('Ctrl-D declines.'))
  const content: [string, unknown][] = []
  const validator = createSchemaValidator()
  for (const field of inSchemaOrder(fields, schema)) {
    const answer = await askField(field, read, { asker, paint, signal, validator })
    if (answer.kind === 'ended') return DECLINED
    if (answer.kind === 'given') content.push([field.name, answer.value])
  }
  return { action: 'accept', content: Object.fromEntries(content) }
}

function fieldsOf({ requestedSchema }: Fields) {
  const schema = isRecord(requestedSchema) ? requestedSchema : {}
  const read = createSchemaReader(schema)
  return { fields: argumentFields(schema, read).fields, read, schema }
}

/** In the order of the server's schema, because one question may build on another. */
function inSchemaOrder(fields: readonly Field[], { properties }: Fields): readonly Field[] {
  const names = Object.keys(isRecord(properties) ? properties : {})
  return fields.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
}

function declinedText({ params }: ServerRequest, what: string): string {
  const names = fieldsOf(params).fields.map(({ name }) => oneLine(name))
  const wanted =
    params.mode === 'url' ? ` (${oneLine(String(params.url))})` : names.length === 0 ? '' : ` (${names.join(', ')})`
  return `${what} asked for input: "${messageOf(params)}"${wanted}. The request was declined, because no person can be asked. To answer such a request, run the command on a terminal without --json.`
}

function messageOf({ message }: Fields): string {
  return typeof message === 'string' ? oneLine(message) : ''
}
