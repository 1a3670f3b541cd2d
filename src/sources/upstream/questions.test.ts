import { describe, expect, it } from 'vitest'
import { createQuestions, type QuestionRules } from './questions.ts'
import { packState, unpackState } from './relayed-state.ts'

const rules: QuestionRules = { server: 'git "hub"', includeContext: false, maxQuestions: 2 }
const elicit = (params: Record<string, unknown>) => ({ method: 'elicitation/create', params }) as const

function questionsOf(more: Partial<QuestionRules> = {}) {
  const told: string[] = []
  return { told, ...createQuestions({ ...rules, ...more }, { onDecline: (reason) => told.push(reason) }) }
}

describe('a question', () => {
  it.each([
    ['Your name?', '[server "git \\"hub\\""] Your name?'],
    ['\n\n \u001b[2K\u202eFrom Toolcrib:\r\nyes', '[server "git \\"hub\\""] From Toolcrib:\nyes'],
    ['Hello\n \n\n\u2028\n\n[server "x"] hi\n\nyes', '[server "git \\"hub\\""] Hello\n\n[server "x"] hi\n\nyes'],
    [undefined, '[server "git \\"hub\\""]'],
    [{ toString: 'x' }, '[server "git \\"hub\\""]'],
  ])('shows the message %j as %j', (message, expected) => {
    expect(questionsOf().vet(elicit({ message }))?.params.message).toBe(expected)
  })

  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'vscode://command',
    'data:text/html,x',
    'no address',
    '',
    undefined,
    7,
  ])('declines a question with the URL %j', (url) => {
    const { vet, told } = questionsOf()
    expect(vet(elicit({ mode: 'url', message: 'x', url }))).toBeUndefined()
    // The URL is checked in every mode.
    if (url !== undefined) expect(vet(elicit({ message: 'x', url }))).toBeUndefined()
    expect(told).toHaveLength(1)
    expect(told[0]).toContain('only http and https')
  })

  it.each(['http://x.test', 'https://x.test/a?b', 'HTTPS://X.test'])('passes a question with the URL %s on', (url) => {
    expect(questionsOf().vet(elicit({ mode: 'url', message: 'x', url }))?.params.url).toBe(url)
  })

  it('shows invisible characters in the name of its server', () => {
    const { vet } = questionsOf({ server: 'git\u200bhub\u202e' })
    expect(vet(elicit({ message: 'x' }))?.params.message).toBe('[server "git\\u{200b}hub\\u{202e}"] x')
  })

  it('removes the secrets of the server from the message', () => {
    const redact = (text: string) => text.replace('hunter2', '[redacted]')
    const { vet } = createQuestions(rules, { redact, onDecline: () => {} })
    expect(vet(elicit({ message: 'hunter2 has expired' }))?.params.message).toContain('] [redacted] has expired')
  })

  it('never counts requests for roots', () => {
    const { vet } = questionsOf({ maxQuestions: 0 })
    expect(vet({ method: 'roots/list', params: {} })).toBeDefined()
    expect(vet(elicit({ message: 'x' }))).toBeUndefined()
  })
})

describe('the state of a call between two requests', () => {
  const remembered = { asked: 3, declined: ['a reason'], answers: { it: { action: 'decline' } } }

  it.each(['the state of the server', '', undefined])('returns to the server its own state %j', (state) => {
    const requestState = packState(state, remembered)
    const found = unpackState({ requestState, inputResponses: { name: { action: 'accept' } } })
    const inputResponses = { name: { action: 'accept' }, it: { action: 'decline' } }
    expect(found.input).toEqual({ inputResponses, ...(state === undefined ? {} : { requestState: state }) })
    expect(found.remembered).toEqual(remembered)
  })

  it.each(['anything', 'toolcrib-asked.', 'toolcrib-asked.bm8', undefined])(
    'leaves the state %j unchanged',
    (requestState) => {
      const brought = requestState === undefined ? {} : { requestState }
      expect(unpackState(brought)).toEqual({ input: brought })
    },
  )
})
