// The agent loop of LangGraph with the tools of the gateway. A scripted chat model takes the place of a provider.

import assert from 'node:assert/strict'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage } from '@langchain/core/messages'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { createScriptedModel } from './scripted-model.mjs'

const client = new MultiServerMCPClient({
  mcpServers: {
    toolcrib: {
      transport: 'stdio',
      command: process.execPath,
      args: [process.env.TOOLCRIB, 'serve'],
      env: process.env,
      stderr: 'ignore',
    },
  },
})
const tools = await client.getTools()
const scripted = createScriptedModel()

class ScriptedChatModel extends BaseChatModel {
  _llmType() {
    return 'scripted'
  }

  bindTools() {
    return this
  }

  async _generate(messages) {
    const { text, call } = scripted.next(messages.map(asMessage), tools)
    const calls = call === undefined ? [] : [{ id: `call-${scripted.calls}`, name: call.name, args: call.arguments }]
    const message = new AIMessage({ content: text, tool_calls: calls })
    return { generations: [{ text, message }] }
  }
}

const agent = createReactAgent({ llm: new ScriptedChatModel({}), tools })
const { messages } = await agent.invoke({
  messages: [{ role: 'user', content: 'Report that the Markdown export drops tags.' }],
})
await client.close()
const text = messages.at(-1).content
assert.match(text, /^Reported as WEB-\d+\.$/)
console.log(`LangGraph sees ${tools.length} tools and needed ${scripted.calls} calls. It says: ${text}`)

function asMessage(message) {
  const { content } = message
  return {
    role: message.getType() === 'tool' ? 'tool' : 'user',
    text: typeof content === 'string' ? content : content[0].text,
  }
}
