import { expect, it } from 'vitest'
import { servingNoteLine, unreachedNotes, whyNoServers } from './notes.ts'

it('the notes list the servers that need a login apart from those that did not start', () => {
  const unreached = new Map([
    ['web', { reason: 'it ended', loginCommand: undefined }],
    ['github', { reason: 'it needs login', loginCommand: 'toolcrib login github' }],
    ['db', { reason: 'it ended' }],
    ['asana', { reason: 'it needs login', loginCommand: 'toolcrib login asana' }],
  ])
  expect(unreachedNotes(unreached)).toEqual([
    '2 servers need login: run `toolcrib login asana`, `toolcrib login github`.',
    '2 servers could not be started: db, web. `toolcrib doctor` shows why.',
  ])
  expect(unreachedNotes(new Map([['a', { loginCommand: 'toolcrib login a' }]]))).toEqual([
    '1 server needs login: run `toolcrib login a`.',
  ])
  expect(unreachedNotes(new Map())).toEqual([])
})

it('the reason for no server in use is that all servers are disabled, if the config has some', () => {
  const enabling = 'All configured servers are disabled; `toolcrib enable NAME` enables one.'
  expect(whyNoServers({ switchedOff: ['files'] })).toBe(enabling)
  expect(whyNoServers({ switchedOff: ['files'], projectNote: 'x is not approved.' })).toBe(
    `${enabling} x is not approved.`,
  )
  expect(whyNoServers({ switchedOff: ['files'], isDiscoveryOff: true })).toContain('Discovery is disabled')
  expect(whyNoServers({ switchedOff: [] })).toContain('No server is configured.')
})

it('a note shortens the paths below the home folder, and not a longer path that contains it', () => {
  const note = {
    file: '/h/ada/a.json',
    path: 'servers.files',
    message: 'already defined in /h/ada/b.json and /mnt/h/ada/c.json',
  }
  const expected = '~/a.json servers.files: already defined in ~/b.json and /mnt/h/ada/c.json'
  expect(servingNoteLine(note, '/h/ada')).toBe(expected)
})
