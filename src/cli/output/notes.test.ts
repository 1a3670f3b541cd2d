import { expect, it } from 'vitest'
import { unreachedNotes } from './notes.ts'

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
