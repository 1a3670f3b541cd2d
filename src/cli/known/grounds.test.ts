import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { realFiles } from '../../config/config-files.ts'
import { holds, recordGrounds } from './grounds.ts'

describe('the grounds of a configuration', () => {
  let folder: string
  const path = (name: string) => join(folder, name)
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolcrib-grounds-'))
    writeFileSync(path('read'), 'one')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  async function recorded(env: Record<string, string>, names: readonly string[] = []) {
    const recorder = recordGrounds(realFiles, env)
    await recorder.files.readText(path('read'))
    await recorder.files.isFile(path('absent'))
    recorder.note(path('noted'))
    for (const name of names) void recorder.env[name]
    return recorder.grounds() ?? { files: {}, env: {} }
  }

  it('hold while nothing that was looked at changes', async () => {
    const grounds = await recorded({ HOME_OF: 'x', OTHER: 'y' }, ['HOME_OF', 'NONE'])
    writeFileSync(path('unrelated'), '')
    expect(holds(grounds, { HOME_OF: 'x', OTHER: 'z' })).toBe(true)
  })

  it.each(['read', 'absent', 'noted'])('fall when the file %j changes or comes', async (name) => {
    const grounds = await recorded({})
    writeFileSync(path(name), 'another')
    expect(holds(grounds, {})).toBe(false)
  })

  it('fall when a variable that was asked for is another, comes or goes', async () => {
    const grounds = await recorded({ SET: 'x' }, ['SET', 'UNSET'])
    expect(holds(grounds, { SET: 'y' })).toBe(false)
    expect(holds(grounds, {})).toBe(false)
    expect(holds(grounds, { SET: 'x', UNSET: '' })).toBe(false)
    expect(holds(grounds, { SET: 'x' })).toBe(true)
  })

  it('hold the value of no variable', async () => {
    expect(JSON.stringify(await recorded({ TOKEN: 'hunter2' }, ['TOKEN']))).not.toContain('hunter2')
  })

  it('are not known where all variables were asked for', () => {
    const recorder = recordGrounds(realFiles, { A: 'x' })
    expect({ ...recorder.env }).toEqual({ A: 'x' })
    expect(recorder.grounds()).toBeUndefined()
  })
})
