import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { loadConfig } from '../../config/load/load.ts'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { createGateway } from '../../crib/from-config.ts'
import { openControlServer } from './control-server.ts'
import { readRegistrations } from './registration.ts'

let address = ''
/** Opens another control server of the same gateway, with its own state folder. */
let openIn: (stateDir: string) => ReturnType<typeof openControlServer>

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-control-'))
  const explicit = join(folder, 'config.json')
  const env = { TOKEN: 'a-secret' }
  const servers = { one: { command: 'none', env: { KEY: 'another-secret' } }, off: { command: 'none', enabled: false } }
  writeFileSync(explicit, JSON.stringify({ discovery: { servers } }))
  const { platform } = process
  const folders = {
    cwd: folder,
    home: folder,
    configDir: join(folder, 'none'),
    platform,
    env,
    ownEnv: env,
    secretNames: [],
  }
  const dirs = { stateDir: join(folder, 'state'), cacheDir: join(folder, 'cache') }
  const gateway = await createGateway({
    name: 'toolcrib',
    version: '1.0.0',
    env,
    ...dirs,
    load: (signal) => loadConfig({ ...folders, explicit, signal }),
    onProblem: () => {},
  })
  openIn = (stateDir) => openControlServer({ version: '1.0.0', program: '', ...folders, ...dirs, stateDir }, gateway)
  const control = await openIn(dirs.stateDir)
  address = (await readRegistrations(dirs.stateDir))[0]?.address ?? ''
  return async () => {
    await control.close()
    await gateway[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  }
})

/** Sends the chunks and returns the whole reply, after the server has closed the connection. */
function send(...chunks: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = ''
    const socket = createConnection(address)
    socket.setEncoding('utf8')
    socket
      .on('data', (text) => {
        reply += text
      })
      .on('error', reject)
      .on('close', () => resolve(reply))
    for (const chunk of chunks) socket.write(chunk)
  })
}

it('the control server answers the first request of a connection, which arrives in one chunk or several', async () => {
  expect(JSON.parse(await send('status\n'))).toMatchObject({ servers: [{ name: 'one' }] })
  expect(JSON.parse(await send('sta', 'tus\r', '\n'))).toMatchObject({ servers: [{ name: 'one' }] })
  expect(JSON.parse(await send('reload\nstatus\n'))).toMatchObject({ applied: true })
})

it('the control server counts only the enabled servers after a reload', async () => {
  expect(JSON.parse(await send('reload\n'))).toMatchObject({ applied: true, servers: 1 })
})

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', '__defineGetter__', 'get', ''])(
  'the control server refuses the request %j, which is not a method',
  async (line) => {
    expect(await send(`${line}\n`)).toBe('{"error":"unknown request"}\n')
  },
)

it('the control server refuses a line that exceeds the maximum length', async () => {
  expect(await send('status'.repeat(1_000))).toBe('{"error":"unknown request"}\n')
})

it('a control server that cannot register leaves no socket behind', async () => {
  const folder = tempFolder()
  const gateways = folder.at('gateways')
  // A folder with the name of the registration cannot be replaced by a file.
  mkdirSync(folder.at('gateways', `${process.pid}.json`), { recursive: true })
  await expect(openIn(folder.path)).rejects.toThrow()
  expect(readdirSync(gateways)).toEqual([`${process.pid}.json`])
})
