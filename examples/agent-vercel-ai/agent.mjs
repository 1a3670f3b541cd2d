// The agent loop of the Vercel AI SDK against the gateway. A mock model takes the place of a provider.

import assert from 'node:assert/strict'
import { createMCPClient } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { createScriptedModel } from './scripted-model.mjs'

const transport = new StdioTransport({
  command: process.execPath,
  args: [process.env.TOOLCRIB, 'serve'],
  env: process.env,
  stderr: 'ignore',
})
const client = await createMCPClient({ transport })
const tools = await client.tools()

const scripted = createScriptedModel()
const model = new MockLanguageModelV3({
  doGenerate({ prompt, tools: listed = [] }) {
    const { text, call } = scripted.next(prompt.map(asMessage), listed)
    const content =
      call === undefined
        ? [{ type: 'text', text }]
        : [
            {
              type: 'tool-call',
              toolCallId: `call-${scripted.calls}`,
              toolName: call.name,
              input: JSON.stringify(call.arguments),
            },
          ]
    const unified = call === undefined ? 'stop' : 'tool-calls'
    const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } }
    return { content, finishReason: { unified, raw: unified }, usage, warnings: [] }
  },
})

const { text, steps } = await generateText({
  model,
  tools,
  stopWhen: stepCountIs(5),
  prompt: 'Report that the Markdown export drops tags.',
})
await client.close()
assert.match(text, /^Reported as WEB-\d+\.$/)
assert.equal(steps.length, 3)
console.log(
  `The Vercel AI SDK sees ${Object.keys(tools).length} tools and needed ${scripted.calls} calls. It says: ${text}`,
)

function asMessage({ role, content }) {
  return { role, text: role === 'tool' ? textOf(content[0].output) : '' }
}

/** The text in the result of an MCP tool. The input has the form that the SDK sends to a model. */
function textOf({ type, value }) {
  if (type !== 'content') return typeof value === 'string' ? value : (value.content?.[0]?.text ?? JSON.stringify(value))
  return value.find((part) => part.type === 'text')?.text ?? ''
}
