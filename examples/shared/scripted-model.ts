// Replaces the model in the agent examples: it searches for a tool, calls it and reports, always with the same texts.

export interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
}

export interface ModelTurn {
  readonly text: string
  readonly call?: { readonly name: string; readonly arguments: Record<string, unknown> }
}

interface ScriptedModel {
  /** Decides the next turn from the conversation and the listed tools, as a model does. */
  next(messages: readonly ModelMessage[], tools: readonly { readonly name: string }[]): ModelTurn
  readonly calls: number
}

/** The script throws if the conversation is not as expected, and so ends the example. */
export function createScriptedModel(): ScriptedModel {
  let calls = 0
  const call = (name: string, args: Record<string, unknown>): ModelTurn => {
    calls++
    return { text: '', call: { name, arguments: args } }
  }
  return {
    get calls() {
      return calls
    },
    next(messages, tools) {
      const answers = messages.filter(({ role }) => role === 'tool').map(({ text }) => text)
      for (const name of ['search_tools', 'execute_tool']) {
        if (!tools.some((tool) => tool.name === name)) throw new Error(`${name} is not listed.`)
      }
      if (answers.length === 0) return call('search_tools', { query: 'create an issue' })
      if (answers.length === 1) {
        // The best hit has a signature, so the model knows the parameters.
        const [, signature] = /"(issue-create\([^"]*\))"/.exec(answers[0] ?? '') ?? []
        if (signature === undefined) throw new Error(`The search found no signature: ${answers[0]}`)
        const title = 'The Markdown export drops the tags of the notes'
        return call('execute_tool', { server: 'tracker', tool: 'issue-create', arguments: { project: 'WEB', title } })
      }
      const [id] = /WEB-\d+/.exec(answers[1] ?? '') ?? []
      if (id === undefined) throw new Error(`The answer has no issue: ${answers[1]}`)
      return { text: `Reported as ${id}.` }
    },
  }
}
