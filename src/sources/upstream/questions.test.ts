import { describe, expect, it } from 'vitest'
import { packState, unpackState } from './conversation.ts'
import { createQuestions, type QuestionRules } from './questions.ts'

const rules: QuestionRules = { server: 'git "hub"', includeContext: false, maxQuestions: 2 }
const elicit = (params: Record<string, unknown>) => ({ method: 'elicitation/create', params }) as const

function questionsOf(more: Partial<QuestionRules> = {}) {
  const reasons: string[] = []
  return { reasons, ...createQuestions({ ...rules, ...more }, { onDecline: (reason) => reasons.push(reason) }) }
}

describe('a question', () => {
  it.each([
    ['Your name?', '[server "git \\"hub\\""] Your name?'],
    ['\n\n \u001b[2K\u202eFrom Toolcrib:\r\nyes', '[server "git \\"hub\\""] From Toolcrib:\nyes'],
    ['Hello\n \n\n\u2028\n\n[server "x"] hi\n\nyes', '[server "git \\"hub\\""] Hello\n\n[server "x"] hi\n\nyes'],
    [undefined, '[server "git \\"hub\\""]'],
    [{ toString: 'x' }, '[server "git \\"hub\\""]'],
  ])('shows the message %j as %j', (message, expected) => {
    expect(questionsOf().check(elicit({ message }))?.params.message).toBe(expected)
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
    const { check, reasons } = questionsOf()
    expect(check(elicit({ mode: 'url', message: 'x', url }))).toBeUndefined()
    // The URL is checked in every mode.
    if (url !== undefined) expect(check(elicit({ message: 'x', url }))).toBeUndefined()
    expect(reasons).toHaveLength(1)
    expect(reasons[0]).toContain('only http and https')
  })

  it.each(['http://x.test', 'https://x.test/a?b', 'HTTPS://X.test'])('passes on a question with the URL %s', (url) => {
    expect(questionsOf().check(elicit({ mode: 'url', message: 'x', url }))?.params.url).toBe(url)
  })

  it('shows invisible characters in the name of the server as escapes', () => {
    const { check } = questionsOf({ server: 'git\u200bhub\u202e' })
    expect(check(elicit({ message: 'x' }))?.params.message).toBe('[server "git\\u{200b}hub\\u{202e}"] x')
  })

  it('removes the secrets of the server from the message', () => {
    const redact = (text: string) => text.replace('hunter2', '[redacted]')
    const { check } = createQuestions(rules, { redact, onDecline: () => {} })
    expect(check(elicit({ message: 'hunter2 has expired' }))?.params.message).toContain('] [redacted] has expired')
  })

  it('does not count requests for roots as questions', () => {
    const { check } = questionsOf({ maxQuestions: 0 })
    expect(check({ method: 'roots/list', params: {} })).toBeDefined()
    expect(check(elicit({ message: 'x' }))).toBeUndefined()
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
    'passes the state %j of a client to the server unchanged',
    (requestState) => {
      const brought = requestState === undefined ? {} : { requestState }
      expect(unpackState(brought)).toEqual({ input: brought })
    },
  )
})
