// A pipe over two servers: it reads a note of one server, and opens an issue with its title in another.

import assert from 'node:assert/strict'
import { callTool, configWith, createWorkspace } from '../shared/toolcrib.ts'

await using work = createWorkspace()
work.write('.toolcrib/config.json', configWith('notes', 'tracker'))

const client = await work.connect('serve', '--strategy', 'lazy')
// One call of the model runs three tools. The text of the note does not pass through the context of the model.
const answer = await callTool(client, 'afd-pipe', {
  steps: [
    { command: 'notes:read-note', input: { path: 'README.md' }, as: 'note' },
    // These servers return a result object, so the fields are below `data`.
    { command: 'tracker:issue-create', input: { project: 'WEB', title: '$note.data.title' }, as: 'issue' },
    { command: 'tracker:issue-get', input: { issueId: '$issue.data.id' } },
  ],
})
assert.ok(typeof answer === 'object' && answer !== null && 'data' in answer)
const text = JSON.stringify(answer.data)
assert.match(text, /"title":"My vault"/)
const [, key] = /"id":"(WEB-\d+)"/.exec(text) ?? []
assert.ok(key !== undefined, text)
console.log(`The note "My vault" is now issue ${key}: three tools of two servers, one call.`)
