// Official clients of both eras use the prompts and resources of an upstream server. Command servers have none.

import { describe, expect, it, onTestFinished } from 'vitest'
import type { Features } from '../crib/features.ts'
import { createPassthrough } from '../crib/passthrough.ts'
import { fixture, reference } from '../sources/upstream/upstream.fixture.ts'
import { accepting, connectAnsweringClient, gatewayTo, openTo } from './answering-client.fixture.ts'
import { openDoor, until } from './door.fixture.ts'
import { type ClientEra, connectHttp, eras } from './sdk-client.fixture.ts'

async function connected(era: ClientEra) {
  const gateway = await gatewayTo(reference('everything', 'stdio'), 'echo')
  const features = createPassthrough({ sources: () => [gateway.source] })
  onTestFinished(() => features[Symbol.asyncDispose]())
  const connect = await openTo({ ...gateway, front: { ...gateway.front, features } }, 'stdio')
  return { ...(await connectAnsweringClient(connect(), era, accepting())), gateway }
}

describe.each(eras)('the everything server, a %s client', (era) => {
  it('lists, gets and completes the prompts of the server', async () => {
    const { client, gateway } = await connected(era)
    expect(client.getServerCapabilities()).toMatchObject({ prompts: { listChanged: true }, completions: {} })
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['simple-prompt', 'args-prompt', 'completable-prompt']),
    )
    const { messages } = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Ulm', state: 'BW' } })
    expect(messages).toMatchObject([{ role: 'user', content: { text: expect.stringContaining('Ulm') } }])
    const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const
    const { completion } = await client.complete({ ref, argument: { name: 'department', value: 'E' } })
    expect(completion.values).toEqual(['Engineering'])
    await expect(client.getPrompt({ name: 'nope' })).rejects.toMatchObject({ code: -32602 })
    await expect(client.getPrompt({ name: 'args-prompt' })).rejects.toThrow('city')
    expect(gateway.errors).toEqual([])
  })

  it('lists and reads the resources of the server, by URI and by template', async () => {
    const { client, gateway } = await connected(era)
    const { resources } = await client.listResources()
    const [first] = resources
    const { contents } = await client.readResource({ uri: first?.uri ?? '' })
    expect(contents).toMatchObject([{ uri: first?.uri, mimeType: first?.mimeType }])
    const { resourceTemplates } = await client.listResourceTemplates()
    const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes('text'))?.uriTemplate ?? ''
    const uri = template.replace(/\{\w+\}/, '3')
    expect((await client.readResource({ uri })).contents).toMatchObject([
      { uri, text: expect.stringMatching(/^Resource 3/) },
    ])
    await expect(client.readResource({ uri: 'nowhere://x' })).rejects.toMatchObject({ code: -32602 })
    expect(gateway.errors).toEqual([])
  })
})

describe.each(eras)('a command server, a %s client', (era) => {
  it('a command server declares prompts and resources, and returns empty lists', async () => {
    const { client } = await connectHttp((await openDoor()).port, era)
    expect(client.getServerCapabilities()).toMatchObject({ prompts: {}, resources: {}, tools: { listChanged: true } })
    expect((await client.listPrompts()).prompts).toEqual([])
    expect((await client.listResources()).resources).toEqual([])
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
  })

  it('answers a request for a prompt or a resource with a protocol error, and keeps the connection', async () => {
    const { client, call } = await connectHttp((await openDoor()).port, era)
    await expect(client.getPrompt({ name: 'greet' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("No prompt named 'greet'"),
    })
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('Resource not found')
    expect(await call('text-echo', { still: 'here' })).toMatchObject({ data: { still: 'here' } })
  })
})

describe('a changed list', () => {
  it.each([
    ['prompts', 'notifications/prompts/list_changed'],
    ['resources', 'notifications/resources/list_changed'],
    ['resourceTemplates', 'notifications/resources/list_changed'],
  ] as const)(
    'notifies a legacy client that the list of %s has changed, and stops when the client is gone',
    async (kind, method) => {
      const listeners = new Set<Parameters<Features['onChange']>[0]>()
      const features: Features = {
        list: async () => [],
        answer: async () => ({ ok: false, rpcCode: -32602, message: 'none' }),
        onChange(listener) {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      }
      const gateway = await gatewayTo(fixture('shelf'), 'afd-call')
      const connect = await openTo({ ...gateway, front: { ...gateway.front, features } }, 'stdio')
      const { client } = await connectAnsweringClient(connect(), 'legacy', accepting())
      const heard: string[] = []
      client.setNotificationHandler(method, () => void heard.push(method))
      await until('the client is a listener', () => listeners.size === 1)
      for (const listener of listeners) listener(kind)
      await until('the client is notified', () => heard.length === 1)
      await client.close()
      await until('no listener is left', () => listeners.size === 0)
    },
  )
})
