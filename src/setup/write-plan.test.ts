import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ConfigPlan } from './config-plan.ts'
import type { SetupJob } from './environment.ts'
import { setupJobIn } from './setup-job.fixture.ts'
import { addSecrets, writePlan } from './write-plan.ts'

let home: string
let job: SetupJob
const config = (name = 'config.json') => join(home, 'config', name)
const stored = () => parseEnv(readFileSync(join(home, 'config', 'secrets.env'), 'utf8'))

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'toolcrib-plan-'))
  job = setupJobIn(home)
})
afterEach(() => rmSync(home, { recursive: true }))

const planOf = (value: string, parts: Partial<ConfigPlan> = {}): ConfigPlan => ({
  file: config(),
  before: '',
  after: `{"of": "${value}"}`,
  isNew: true,
  added: [],
  present: [],
  clashing: [],
  unnameable: [],
  secrets: [{ name: 'A_TOKEN', value, server: 'a' }],
  sources: [],
  isOfProject: false,
  ...parts,
})

describe('writePlan', () => {
  it('writes only one of several plans for the same config, together with its secret value', async () => {
    const values = ['one', 'two', 'three', 'four']
    const ends = await Promise.allSettled(values.map((value) => writePlan(job, planOf(value))))
    const failed = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))
    expect(failed).toHaveLength(3)
    for (const reason of failed) expect(reason).toContain('another program has changed it in the meantime')
    const { of } = JSON.parse(readFileSync(config(), 'utf8'))
    expect(stored()).toEqual({ A_TOKEN: of })
    expect(readFileSync(join(home, 'config', 'secrets.env'), 'utf8').match(/^A_TOKEN=/gm)).toHaveLength(1)
  })

  it('never uses one variable for different values in the plans of two configs', async () => {
    await writePlan(job, planOf('one'))
    const other = planOf('two', { file: config('other.json') })
    await expect(writePlan(job, other)).rejects.toThrow('another program added A_TOKEN to it in the meantime')
    expect(existsSync(config('other.json'))).toBe(false)
    expect(stored()).toEqual({ A_TOKEN: 'one' })
    await writePlan(job, planOf('one', { file: config('other.json') }))
    expect(readFileSync(join(home, 'config', 'secrets.env'), 'utf8').match(/^A_TOKEN=/gm)).toHaveLength(1)
  })
})

it('writes no secrets file if the file cannot store any of the values', async () => {
  const written = await writePlan(job, planOf('first line\nsecond line', { after: '{}' }))
  expect(written).toMatchObject({ secretsFile: undefined, toExport: ['A_TOKEN'] })
  expect(existsSync(join(home, 'config', 'secrets.env'))).toBe(false)
})

it('removes a secret value again if the config cannot be written', async () => {
  mkdirSync(join(home, 'config'))
  writeFileSync(join(home, 'config', 'secrets.env'), 'OLD=1\n', { mode: 0o600 })
  // A file cannot be created below a path that is itself a file.
  writeFileSync(join(home, 'blocked'), '')
  await expect(writePlan(job, planOf('one', { file: join(home, 'blocked', 'config.json') }))).rejects.toThrow()
  expect(readFileSync(join(home, 'config', 'secrets.env'), 'utf8')).toBe('OLD=1\n')
})

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-secrets-'))
  file = join(folder, 'deep', 'secrets.env')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('addSecrets', () => {
  it('keeps all secrets that many writers add at the same time', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `NAME_${at}`)
    await Promise.all(names.map((name) => addSecrets(file, [`${name}=value`])))
    expect(Object.keys(parseEnv(readFileSync(file, 'utf8'))).sort()).toEqual(names.sort())
  })

  it('appends secrets on lines of their own to a file that only this user can read', async () => {
    await addSecrets(file, ['A=1'])
    writeFileSync(file, `${readFileSync(file, 'utf8')}MINE=2 # no line end`, { mode: 0o644 })
    await addSecrets(file, ['B=3', 'A=4'])
    expect(parseEnv(readFileSync(file, 'utf8'))).toEqual({ A: '4', MINE: '2', B: '3' })
    expect(readFileSync(file, 'utf8')).toMatch(/^# Values that toolcrib[^\n]*\nA=1\nMINE/)
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})
