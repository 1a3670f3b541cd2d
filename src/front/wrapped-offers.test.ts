// The capabilities of a wrapped server: a client sees what that server offers, always with `listChanged`.

import type { ServerCapabilities } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { Connection } from '../config/server-config.ts'
import { fixture } from '../sources/upstream/upstream.fixture.ts'
import { accepting, connectAnsweringClient, doors, openTo, wrapFor } from './answering-client.fixture.ts'
import { type ClientEra, eras } from './sdk-client.fixture.ts'

const declaring = (capabilities: ServerCapabilities) => fixture('declares', JSON.stringify(capabilities))

async function connected(connection: Connection, era: ClientEra, door: (typeof doors)[number], strategy?: string) {
  const { front, problems } = await wrapFor(connection, { strategy })
  const { client } = await connectAnsweringClient((await openTo({ front }, door))(), era, accepting())
  return { client, problems }
}

const tools = { listChanged: true }

const pairs = eras.flatMap((era) => doors.map((door) => [era, door] as const))

describe.each(pairs)('wrapServer, with a %s client over %s,', (era, door) => {
  it.each<readonly [ServerCapabilities, ServerCapabilities]>([
    [{ tools: {} }, { tools }],
    [
      { tools: {}, logging: {} },
      { tools, logging: {} },
    ],
    [{ prompts: {} }, { prompts: { listChanged: true } }],
    [
      { tools: {}, resources: { subscribe: true }, completions: {} },
      { tools, resources: { listChanged: true, subscribe: true }, completions: {} },
    ],
    [
      { tools: {}, resources: {} },
      { tools, resources: { listChanged: true } },
    ],
  ])('maps the capabilities %j of a server to %j', async (declared, seen) => {
    const { client, problems } = await connected(declaring(declared), era, door)
    expect(client.getServerCapabilities()).toEqual(seen)
    if (declared.prompts !== undefined) expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'greet' }])
    if (declared.tools !== undefined) expect((await client.listTools()).tools).toMatchObject([{ name: 'hello' }])
    expect(problems).toEqual([])
  })

  it('offers no tools of the strategy when the server has no tools', async () => {
    const { client } = await connected(declaring({ prompts: {} }), era, door, 'gateway')
    expect(client.getServerCapabilities()?.tools).toBeUndefined()
    expect(client.getInstructions()).toBe('Declares what it has.')
  })

  it('passes on the capabilities of a modern server', async () => {
    const { client } = await connected(fixture('shelf-modern'), era, door)
    const listChanged = true
    expect(client.getServerCapabilities()).toEqual({ tools, prompts: { listChanged }, resources: { listChanged } })
  })
})
