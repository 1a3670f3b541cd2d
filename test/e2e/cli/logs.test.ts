// toolcrib logs: the stderr of servers and the reports of gateways, from the log file of real gateways.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { connect, covers, createHome, printed, run, start, stopped } from './harness.ts'

const SECRET = 'sk-0123456789abcdefghij'

it('logs shows the newest lines without secrets and control characters, follows the log, and explains an empty one', async () => {
  covers('CLI-LOGS', 'CLI-LOGS-FOLLOW')
  const home = createHome()
  const print = "console.error('\\u001b[31mstarting\\u001b[0m \\u0007with ' + process.env.API_KEY); process.exit(1)"
  home.write('.config/toolcrib/config.json', {
    discovery: {
      servers: {
        loud: { command: process.execPath, args: ['-e', print], env: { API_KEY: SECRET } },
        idle: { command: process.execPath, enabled: false },
      },
    },
  })
  const none = await run(home, ['logs'])
  expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('There is no log yet.') })

  const follower = start(home, ['logs', '--follow'])
  const followed = printed(follower, 'gateway: stopped')
  const client = await connect(home)
  await client.callTool({ name: 'search_tools', arguments: { query: 'anything' } })
  await client.close()
  expect(await followed).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d loud: starting with \[redacted\]$/m)
  expect(await stopped(follower, 'SIGINT')).toBe(130)

  const file = join(home.folder, '.local/state/toolcrib/gateway.jsonl')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const [json, unknown, idle] = await Promise.all([
    run(home, ['logs', 'loud', '--json', '--lines', '2']),
    run(home, ['logs', 'lou']),
    run(home, ['logs', 'idle']),
  ])
  const records = json.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(records).toHaveLength(2)
  expect(records).toContainEqual(expect.objectContaining({ source: 'loud', text: 'starting with [redacted]' }))
  expect(json.stdout).not.toContain(SECRET)
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean 'loud'?") })
  expect(idle.code).toBe(0)
  expect(idle.stdout.replaceAll(/\s+/g, ' ').trim()).toBe(
    "The log has no lines of 'idle' yet. Only gateways (`toolcrib serve` and `toolcrib wrap`) write to it. `toolcrib doctor idle` starts the server, and shows its output if it fails.",
  )
  await home.remove()
}, 60_000)
