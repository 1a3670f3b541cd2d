import { describe, expect, it } from 'vitest'
import { openDoor } from './door.fixture.ts'
import { connectHttp, eras } from './sdk-client.fixture.ts'

describe.each(eras)('prompts and resources, %s', (era) => {
  it('declares prompts and resources, and returns empty lists', async () => {
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
