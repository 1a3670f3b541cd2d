import { mkdirSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { load } from '../../config/load/load.fixture.ts'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { readEnvironment } from '../../setup/environment.ts'
import { openTokenStore } from '../../setup/user-stores.ts'
import { createTokenBook } from '../../storage/token-book.ts'
import { createHttpAccess } from './http-access.ts'

it('keeps the generated token when the configuration changes, even if the token cannot be stored', async () => {
  const folder = tempFolder()
  // A folder at the path of the token file makes the file unusable.
  mkdirSync(folder.at('state', 'token'), { recursive: true })
  const environment = { ...readEnvironment(), stateDir: folder.at('state'), cacheDir: folder.at('cache') }
  const loaded = await load(folder)
  const problems: string[] = []
  const access = await createHttpAccess(environment, loaded, {
    onProblem: (message) => void problems.push(message),
    onRevoked() {},
    log() {},
  })
  onTestFinished(() => access[Symbol.asyncDispose]())
  const { ownToken } = access
  expect(ownToken).toMatch(/^[\w-]{32}$/)
  expect(await access.update(loaded)).toEqual([])
  expect(access.ownToken).toBe(ownToken)
  expect(problems).toEqual([expect.stringContaining('so this run has a token of its own')])
})

it('returns the principal of a stored token after the configuration gets a token of the same name', async () => {
  const folder = tempFolder()
  const environment = { ...readEnvironment(), stateDir: folder.at('state'), cacheDir: folder.at('cache') }
  const withTokens = (tokens: object) => {
    const config = folder.write('config.json', { http: { tokens } })
    return load(folder, { explicit: config })
  }
  const before = await withTokens({ eve: 'a-token-of-eve-0123456789' })
  {
    await using store = openTokenStore(environment, before, () => {})
    for (const name of ['ada', 'bob']) await createTokenBook(store).add({ name })
  }
  const access = await createHttpAccess(environment, before, { onProblem() {}, onRevoked() {}, log() {} })
  onTestFinished(() => access[Symbol.asyncDispose]())
  expect(access.storedNames()).toEqual(['ada', 'bob'])
  const after = await withTokens({
    eve: 'a-token-of-eve-0123456789',
    ada: 'a-token-of-ada-0123456789',
    mia: 'a-token-of-mia-0123456789',
  })
  expect(await access.update(after)).toEqual(['ada'])
})
