// Prompts and resources of servers with `discovery.passthrough`.

import { describe, expect, it } from 'vitest'
import { combinations, covers, OVER, useEveryClient } from './harness.ts'
import { everything, fixtureServer } from './servers.ts'

const servers = { shelf: fixtureServer('shelf'), everything: everything(), modern: fixtureServer('shelf-modern') }
const { clientOf } = useEveryClient({ config: { discovery: { passthrough: true, listWaitMs: 30_000, servers } } })

describe.each(combinations)(OVER, (combination) => {
  const client = () => clientOf(combination).client

  it('the gateway offers prompts with the name of their server, and the server answers them', async () => {
    covers('PT-1')
    const { prompts } = await client().listPrompts()
    const names = prompts.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['shelf__greet', 'everything__simple-prompt', 'modern__greet']))
    const greeting = async (name: string) => {
      const { messages } = await client().getPrompt({ name, arguments: { who: 'Ada' } })
      return messages[0]?.content
    }
    expect(await greeting('shelf__greet')).toEqual({ type: 'text', text: 'Hello Ada' })
    expect(await greeting('modern__greet')).toEqual({ type: 'text', text: 'Modern Ada' })
    expect(await greeting('everything__simple-prompt')).toMatchObject({ type: 'text' })
    await expect(client().getPrompt({ name: 'greet' })).rejects.toMatchObject({ code: -32602 })
  })

  it('the gateway offers resources with the name of their server in the URI, and reads them from it', async () => {
    covers('PT-1')
    const { resources } = await client().listResources()
    const uris = resources.map(({ uri }) => uri)
    expect(uris).toEqual(expect.arrayContaining(['toolcrib://shelf/demo://shared', 'toolcrib://modern/demo://shared']))
    expect(uris.filter((uri) => uri.startsWith('toolcrib://everything/')).length).toBeGreaterThan(0)
    const read = async (uri: string) => (await client().readResource({ uri })).contents[0]
    expect(await read('toolcrib://modern/demo://shared')).toMatchObject({ text: 'The modern text' })
    expect(await read('toolcrib://shelf/demo://shared')).toMatchObject({
      uri: 'toolcrib://shelf/demo://shared',
      text: 'The text of demo://shared',
    })
    const { resourceTemplates } = await client().listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('toolcrib://shelf/shelf://{id}')
    expect(await read('toolcrib://shelf/shelf://42')).toMatchObject({ text: 'The text of shelf://42' })
    // Both servers have this URI, so the gateway refuses to guess.
    await expect(read('demo://shared')).rejects.toThrow(/toolcrib:\/\/shelf\/demo:\/\/shared/)
  })

  it('the gateway still lists five tools with passthrough', async () => {
    covers('PT-1', 'MT-1')
    expect(await clientOf(combination).list()).toHaveLength(5)
  })
})
