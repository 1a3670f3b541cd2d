import { mkdirSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { load } from '../../config/load/load.fixture.ts'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { readEnvironment } from '../../setup/environment.ts'
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
