import { describe, expect, it } from 'vitest'
import { segmentsOf, singular, wordsOf } from './names.ts'

describe('segmentsOf', () => {
  it.each([
    ['create_issue', ['create', 'issue']],
    ['create-issue', ['create', 'issue']],
    ['createIssue', ['create', 'Issue']],
    ['issues.list/all', ['issues', 'list', 'all']],
    ['listHTTPServers', ['list', 'HTTP', 'Servers']],
    ['getOAuthApp', ['get', 'Oauth', 'App']],
    ['__x__', ['x']],
    ['', []],
    ['名前', []],
  ])('splits %j into segments', (name, segments) => {
    expect(segmentsOf(name)).toEqual(segments)
  })
})

describe('wordsOf', () => {
  it('gives lower-case words without numbers and version numbers', () => {
    expect(wordsOf('TwilioApiV2010--CreateAccount')).toEqual(['twilio', 'api', 'create', 'account'])
    expect(wordsOf('v1_list_2_items')).toEqual(['list', 'items'])
  })
})

describe('singular', () => {
  it.each([
    ['issues', 'issue'],
    ['policies', 'policy'],
    ['addresses', 'address'],
    ['branches', 'branch'],
    ['boxes', 'box'],
    ['databases', 'database'],
    ['status', 'status'],
    ['analysis', 'analysis'],
    ['analytics', 'analytics'],
    ['access', 'access'],
    ['dns', 'dns'],
  ])('gives the singular of %s: %s', (plural, one) => {
    expect(singular(plural)).toBe(one)
    expect(singular(one)).toBe(one)
  })
})
