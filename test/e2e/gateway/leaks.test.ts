// A server that leaks its own secrets: the gateway removes them from failures, log messages and its own stderr.

import { describe, expect, it } from 'vitest'
import { combinations, gatewayForTest, OVER } from './harness.ts'
import { fixtureServer, withEnv } from './servers.ts'

const TOKEN = 'tok/en+"quoted"\\and=more'
const PASSPHRASE = 'first line\nzweite Zeile: ü'
/** Matches parts of the secrets in plain, URL-encoded, JSON and base64 form. */
const PARTS = /tok\/en|tok\\\/en|tok%2Fen|dG9rL2Vu|quoted|first line|first%20line|zweite|Zm\w{2}c3QgbGlu/

const server = withEnv(fixtureServer('leaks'), { TOKEN: `$\{THE_TOKEN}`, PASSPHRASE })

describe.each(combinations)(`a gateway ${OVER}`, ({ door, era }) => {
  it('the gateway removes the secrets of a server from errors and log messages, and passes on a successful result unchanged', async () => {
    const config = { discovery: { passthrough: true, servers: { leaky: server } } }
    const gateway = await gatewayForTest({ door, config, env: { THE_TOKEN: TOKEN } })
    const client = await gateway.connect({ era })
    const run = (tool: string) => client.run({ server: 'leaky', tool }, { progressToken: 'p' })

    const failed = await run('fails')
    expect(failed.isError).toBe(true)
    expect(failed.content).toHaveLength(6)
    expect(JSON.stringify(failed)).toContain('[redacted]')
    expect(JSON.stringify(failed)).not.toMatch(PARTS)
    expect(failed.content[2]).toEqual({ type: 'text', text: 'split: [redacted]' })

    const answered = await run('answers')
    expect(answered.content[0]).toEqual({ type: 'text', text: `refused: ${TOKEN} and ${PASSPHRASE}` })
    expect(answered._meta).toMatchObject({ 'x/request': { said: `${TOKEN} and ${PASSPHRASE}` } })

    for (const tool of ['refuses', 'logs', 'dies']) expect(JSON.stringify(await run(tool))).not.toMatch(PARTS)
    expect(client.notifications).toContain('log {"said":"[redacted] and [redacted]"}')
    const prompt = client.client.getPrompt({ name: 'ask' })
    await expect(prompt).rejects.toThrow('no prompt: [redacted] and [redacted]')
    expect(gateway.stderr).not.toMatch(PARTS)
  })
})
