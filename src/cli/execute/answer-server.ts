// What a server asks for while its tool runs: put to the person at the terminal, declined where nobody is there.

import type { ServerRequest } from '../../core/call.ts'
import { createSchemaValidator } from '../../core/json-schema.ts'
import { argumentFields } from '../../core/parameters/argument-fields.ts'
import type { Field } from '../../core/parameters/schema-form.ts'
import { createSchemaReader } from '../../core/parameters/schema-reader.ts'
import { isRecord } from '../../core/schema.ts'
import type { Request } from '../../crib/request.ts'
import { type Asker, createAsker } from '../output/asker.ts'
import { oneLine, wrap } from '../output/text.ts'
import type { Work } from '../work.ts'
import { askField } from './ask-field.ts'

type Answer = Readonly<Record<string, unknown>>
type AskPerson = NonNullable<Request['onServerRequest']>

export interface ServerAnswers {
  /** What this caller answers, as a client declares it. */
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly onServerRequest: AskPerson
  /** A model was asked for, and there is none. */
  readonly wantedModel: boolean
}

/** `what`: the tool that asks. `hold` keeps the screen free until it is let go. */
export function answerServer(work: Work, what: string, hold: () => () => void): ServerAnswers {
  const { output } = work
  const isAskable = output.terminal.isIn && output.terminal.isErr && !output.isJson
  let wantedModel = false
  // One question after the other, however many come at once.
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = (answer: () => Promise<Answer>): Promise<Answer> => {
    const turn = last.then(answer)
    last = turn.catch(() => {})
    return turn
  }
  const elicit = async (params: Answer, signal: AbortSignal): Promise<Answer> => {
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
      // As if it could not be asked at all: whoever calls this knows what such a client answers.
      throw new Error(`The command line does not answer ${request.method}`)
    },
  }
}

interface Question {
  readonly work: Work
  readonly what: string
  readonly asker: Asker
  readonly signal: AbortSignal
}

const DECLINED = { action: 'decline' }

async function askPerson(params: Answer, { work, what, asker, signal }: Question): Promise<Answer> {
  const { width, errPaint: paint } = work.output
  const say = (...lines: readonly string[]) => process.stderr.write(`${lines.join('\n')}\n`)
  say('', paint.bold(`${what} asks you:`), ...wrap(messageOf(params), width, '  '))
  if (params.mode === 'url') {
    // Whole: an address that is broken cannot be opened.
    say(`  ${oneLine(String(params.url))}`, 'Open it yourself, where you trust it.')
    const answer = await asker.ask('Do you agree? [y/N] ', signal)
    return isYes(answer) ? { action: 'accept' } : DECLINED
  }
  const { fields, read, schema } = fieldsOf(params)
  const isWilling = await asker.ask('Do you want to answer? [Y/n] ', signal)
  if (isWilling === undefined || !(isWilling.trim() === '' || isYes(isWilling))) return DECLINED
  if (fields.length > 0) say(paint.dim('Ctrl-D declines.'))
  const content: [string, unknown][] = []
  const validator = createSchemaValidator()
  for (const field of ordered(fields, schema)) {
    const answer = await askField(field, read, { asker, paint, signal, validator })
    if (answer.kind === 'over') return DECLINED
    if (answer.kind === 'given') content.push([field.name, answer.value])
  }
  return { action: 'accept', content: Object.fromEntries(content) }
}

function fieldsOf({ requestedSchema }: Answer) {
  const schema = isRecord(requestedSchema) ? requestedSchema : {}
  const read = createSchemaReader(schema)
  return { fields: argumentFields(schema, read).fields, read, schema }
}

/** As the server wrote them: one question leads to the next. */
function ordered(fields: readonly Field[], { properties }: Answer): readonly Field[] {
  const names = Object.keys(isRecord(properties) ? properties : {})
  return fields.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
}

function declinedText({ params }: ServerRequest, what: string): string {
  const names = fieldsOf(params).fields.map(({ name }) => oneLine(name))
  const wanted =
    params.mode === 'url' ? ` (${oneLine(String(params.url))})` : names.length === 0 ? '' : ` (${names.join(', ')})`
  return `${what} asked for input: "${messageOf(params)}"${wanted}. Nobody can be asked here, so it was declined; on a terminal, without --json, you are asked.`
}

function messageOf({ message }: Answer): string {
  return typeof message === 'string' ? oneLine(message) : ''
}

function isYes(answer = ''): boolean {
  return /^\s*y(?:es)?\s*$/i.test(answer)
}
