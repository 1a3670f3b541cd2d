import { mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLoginStore, type Login, type LoginTarget } from './login-store.ts'

const target: LoginTarget = { server: 'github', url: 'https://mcp.example.com/mcp', principal: 'local' }

function login(issuer: string, savedAt: number, more: Partial<Login> = {}): Login {
  const tokens = { access_token: `token of ${issuer}`, token_type: 'Bearer' }
  return { ...target, issuer, clientId: 'c', tokens, discovery: { authorizationServerUrl: issuer }, savedAt, ...more }
}

function stateFolder(): string {
  const stateDir = mkdtempSync(join(tmpdir(), 'toolcrib-logins-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  return stateDir
}

describe('the login store', () => {
  it('keeps logins apart by server, address, principal and issuer', async () => {
    const store = createLoginStore({ stateDir: stateFolder() })
    await store.save(login('https://a.example.com', 1))
    await store.save(login('https://b.example.com', 2))
    expect((await store.read(target, 'https://a.example.com'))?.tokens?.access_token).toBe(
      'token of https://a.example.com',
    )
    const others: readonly LoginTarget[] = [
      { ...target, server: 'other' },
      { ...target, url: 'https://evil.example.com/mcp' },
      { ...target, principal: 'bob' },
    ]
    for (const other of others) expect(await store.find(other)).toBeUndefined()
  })

  it('finds the newest login, and prefers one with tokens', async () => {
    const store = createLoginStore({ stateDir: stateFolder() })
    await store.save(login('https://a.example.com', 1))
    await store.save(login('https://b.example.com', 2))
    expect((await store.find(target))?.issuer).toBe('https://b.example.com')
    const { tokens: _refused, ...refused } = login('https://b.example.com', 3)
    await store.save(refused)
    expect((await store.find(target))?.issuer).toBe('https://a.example.com')
  })

  it('`replace` leaves only the new login of a server, and `remove` removes and returns all of its logins', async () => {
    const store = createLoginStore({ stateDir: stateFolder() })
    await store.save(login('https://a.example.com', 1))
    await store.replace(login('https://b.example.com', 2))
    expect((await store.remove(target)).map(({ issuer }) => issuer)).toEqual(['https://b.example.com'])
    expect(await store.find(target)).toBeUndefined()
  })

  it('treats a damaged file and a file of another form as missing', async () => {
    const stateDir = stateFolder()
    const problems: string[] = []
    const store = createLoginStore({ stateDir, onProblem: ({ kind }) => problems.push(kind) })
    await store.save({ ...login('https://a.example.com', 1), clientId: 7 as unknown as string })
    expect(await store.find(target)).toBeUndefined()
    await store.save(login('https://a.example.com', 1))
    const [file = ''] = readdirSync(join(stateDir, 'logins'))
    writeFileSync(join(stateDir, 'logins', file), '{"key":')
    expect(await store.find(target)).toBeUndefined()
    expect(problems).toEqual(['corrupt'])
  })

  it('treats a folder that cannot be read as one without logins and reports it once, and rejects a logout', async () => {
    const stateDir = stateFolder()
    const problems: string[] = []
    const store = createLoginStore({ stateDir, onProblem: ({ message }) => problems.push(message) })
    const saved = login('https://a.example.com', 1)
    await store.save(saved)
    const folder = join(stateDir, 'logins')
    renameSync(folder, join(stateDir, 'aside'))
    // A link to itself is a path that exists and cannot be read, also for root.
    symlinkSync(folder, folder)
    for (const server of ['github', 'other', 'third']) expect(await store.find({ ...target, server })).toBeUndefined()
    expect(problems).toEqual([`Cannot read ${folder}: it is a link that leads to itself`])
    await expect(store.remove(target)).rejects.toThrow(`Cannot read ${folder}`)
    rmSync(folder)
    renameSync(join(stateDir, 'aside'), folder)
    expect(await store.remove(target)).toEqual([saved])
  })

  it('two stores with the same folder change the logins of a server one after the other', async () => {
    const stateDir = stateFolder()
    const [one, two] = [createLoginStore({ stateDir }), createLoginStore({ stateDir })]
    const steps: string[] = []
    const { signal } = new AbortController()
    const work = (name: string) => async () => {
      steps.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      steps.push(`${name} ends`)
    }
    await Promise.all([one.exclusively(target, signal, work('one')), two.exclusively(target, signal, work('two'))])
    expect(steps).toHaveLength(4)
    expect(steps[0]?.split(' ')[0]).toBe(steps[1]?.split(' ')[0])
    expect(readdirSync(join(stateDir, 'logins'))).toEqual([])
  })
})
