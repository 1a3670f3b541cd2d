// An agent loop with the plain client of the official SDK. The model is scripted, so that the example needs no key.

import assert from 'node:assert/strict'
import { createScriptedModel, type ModelMessage } from '../shared/scripted-model.ts'
import { callTool, configWith, createWorkspace } from '../shared/toolcrib.ts'

await using work = createWorkspace()
work.write('.toolcrib/config.json', configWith('notes', 'shop', 'tracker'))
const client = await work.connect('serve')
const { tools } = await client.listTools()

const model = createScriptedModel()
const messages: ModelMessage[] = [{ role: 'user', text: 'Report that the Markdown export drops tags.' }]
for (;;) {
  const turn = model.next(messages, tools)
  messages.push({ role: 'assistant', text: turn.text })
  if (turn.call === undefined) break
  const answer = await callTool(client, turn.call.name, turn.call.arguments)
  messages.push({ role: 'tool', text: JSON.stringify(answer) })
}

const last = messages.at(-1)?.text ?? ''
assert.match(last, /^Reported as WEB-\d+\.$/)
console.log(
  `The client sees ${tools.length} tools instead of 76. The agent needed ${model.calls} calls and says: ${last}`,
)
