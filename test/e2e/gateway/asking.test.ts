// Servers that ask during a call: the question goes to the client of that call, and the answer to the server.

import type { CallToolResult } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { accepting, eras } from './client.ts'
import { combinations, covers, OVER, useEveryClient } from './harness.ts'
import { everything, fixtureServer } from './servers.ts'

const config = {
  discovery: {
    listWaitMs: 30_000,
    servers: { everything: everything(), legacy: fixtureServer('asks'), modern: fixtureServer('asks-modern') },
  },
}

const resultOf = ({ structuredContent }: CallToolResult) => (structuredContent as { result?: unknown }).result
const textOf = ({ content }: CallToolResult) => content.map((block) => ('text' in block ? block.text : '')).join('\n')
const poem = { role: 'assistant', content: { type: 'text', text: 'A poem.' }, model: 'test' }

const { clientOf, shared } = useEveryClient({ config }, { reply: accepting() })

describe.each(combinations)(OVER, (combination) => {
  const client = () => clientOf(combination)
  const asking = async (server: string, tool: string, args: object = {}) => {
    const [asked, notifications] = [client().asked.length, client().notifications.length]
    const answer = await client().run({ server, tool, arguments: args }, { progressToken: `of ${server}` })
    return { answer, asked: client().asked.slice(asked), notifications: client().notifications.slice(notifications) }
  }

  it('the everything server gets an answer to its elicitation', async () => {
    covers('RS-3')
    const { answer, asked } = await asking('everything', 'trigger-elicitation-request')
    expect(asked).toMatchObject([
      { method: 'elicitation/create', params: { message: expect.any(String), requestedSchema: { type: 'object' } } },
    ])
    expect(answer.isError).toBeUndefined()
    expect(textOf(answer)).toContain('Ada')
  })

  it('the everything server gets an answer to its sampling request', async () => {
    covers('RS-3')
    const { answer, asked } = await asking('everything', 'trigger-sampling-request', { prompt: 'Rhyme!' })
    expect(asked).toMatchObject([{ method: 'sampling/createMessage', params: { messages: [{ role: 'user' }] } }])
    expect(JSON.stringify(asked)).toContain('Rhyme!')
    expect(textOf(answer)).toContain('A poem.')
  })

  it.each(['legacy', 'modern'])(
    'a server of the %s era gets answers to its questions, one after the other and both at once',
    async (server) => {
      covers('RS-3')
      const fields = {
        name: { action: 'accept', content: { name: 'Ada' } },
        town: { action: 'accept', content: { town: 'London' } },
      }
      const interview = await asking(server, 'interview')
      expect(resultOf(interview.answer)).toEqual(fields)
      expect(interview.asked.map(({ params }) => params.message)).toEqual([
        `[server "${server}"] Your name?`,
        `[server "${server}"] Your town?`,
      ])
      expect(interview.notifications.filter((line) => !line.startsWith('log'))).toEqual([
        'progress 1',
        'asked elicitation/create',
        'progress 2',
        'asked elicitation/create',
        'progress 3',
      ])
      const both = await asking(server, 'both')
      expect(resultOf(both.answer)).toEqual(fields)
      expect(both.asked).toHaveLength(2)
    },
  )

  it.each(['legacy', 'modern'])(
    'a server of the %s era gets a sampling result and an accepted URL elicitation',
    async (server) => {
      covers('RS-3')
      expect(resultOf((await asking(server, 'sample')).answer)).toMatchObject(poem)
      const visit = await asking(server, 'visit')
      expect(visit.asked).toMatchObject([{ params: { mode: 'url', url: 'https://x.test/' } }])
      expect(resultOf(visit.answer)).toMatchObject({ action: 'accept' })
    },
  )

  it('a server gets each call once, even if the call asks several questions', async () => {
    covers('LC-8')
    for (const server of ['legacy', 'modern']) {
      const before = resultOf(await client().run({ server, tool: 'counts' })) as { started: number }
      await asking(server, 'interview')
      expect(resultOf(await client().run({ server, tool: 'counts' }))).toMatchObject({ started: before.started + 1 })
    }
  })
})

describe('four clients that call the same tool at once', () => {
  it.each(['legacy', 'modern'])(
    'a call gets the answers of its own client, or a decline, when four clients call the same tool at once: server %s',
    async (server) => {
      covers('RS-3')
      const people = ['Ada', 'Grace', 'Alan', 'Edsger']
      const clients = await Promise.all(
        people.map((name, at) =>
          shared().connect({ era: eras[at % 2] ?? 'legacy', reply: accepting({ name, town: `of ${name}` }) }),
        ),
      )
      const answers = await Promise.all(clients.map((client) => client.run({ server, tool: 'interview' })))
      const said = answers.map(
        (answer) => resultOf(answer) as Record<'name' | 'town', { action: string; content?: object }>,
      )
      for (const [at, name] of people.entries()) {
        for (const [field, value] of Object.entries({ name, town: `of ${name}` })) {
          const { action, content } = said[at]?.[field as 'name' | 'town'] ?? {} // as the fixture answers
          // If the gateway cannot tell which client is meant, it declines the question.
          expect(action === 'decline' ? { [field]: value } : content).toEqual({ [field]: value })
        }
      }
      expect(said.filter(({ name }) => name.action === 'accept').length).toBeGreaterThan(0)
    },
  )
})

describe('a client that declares no capability for questions', () => {
  it.each(eras)(
    'a client that declares no capability for questions is not asked, and its calls still end: %s',
    async (era) => {
      covers('RS-4')
      const client = await shared().connect({ era })
      const declined = await client.run({ server: 'legacy', tool: 'interview' })
      expect(resultOf(declined)).toEqual({ name: { action: 'decline' }, town: { action: 'decline' } })
      const sampling = { server: 'everything', tool: 'trigger-sampling-request', arguments: { prompt: 'x' } }
      expect(await client.run(sampling)).toMatchObject({ isError: true })
      expect(await client.run({ tool: 'echo', arguments: { message: 'still here' } })).toMatchObject({
        content: [{ text: 'Echo: still here' }],
      })
    },
  )
})
