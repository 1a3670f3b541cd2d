import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { realFiles } from '../../config/config-files.ts'
import { areUnchanged, recordInputs } from './config-inputs.ts'

describe('the recorded inputs of a configuration', () => {
  let folder: string
  const path = (name: string) => join(folder, name)
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolcrib-inputs-'))
    writeFileSync(path('read'), 'one')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  async function recorded(env: Record<string, string>, names: readonly string[] = []) {
    const recorder = recordInputs(realFiles, env)
    await recorder.files.readText(path('read'))
    await recorder.files.isFile(path('absent'))
    recorder.note(path('noted'))
    for (const name of names) void recorder.env[name]
    return recorder.inputs() ?? { files: {}, env: {} }
  }

  it('recorded inputs are unchanged while the files and variables that were read stay the same', async () => {
    const inputs = await recorded({ HOME_OF: 'x', OTHER: 'y' }, ['HOME_OF', 'NONE'])
    writeFileSync(path('unrelated'), '')
    expect(areUnchanged(inputs, { HOME_OF: 'x', OTHER: 'z' })).toBe(true)
  })

  it.each(['read', 'absent', 'noted'])(
    'recorded inputs count as changed after the file %j is changed or created',
    async (name) => {
      const inputs = await recorded({})
      writeFileSync(path(name), 'another')
      expect(areUnchanged(inputs, {})).toBe(false)
    },
  )

  it('recorded inputs count as changed after a folder is locked or unlocked, and not after a file is written into it', async () => {
    const recordLock = async () => {
      const recorder = recordInputs(realFiles, {})
      await recorder.files.isLocked(path('folder'))
      return recorder.inputs() ?? { files: {}, env: {} }
    }
    mkdirSync(path('folder'))
    const open = await recordLock()
    writeFileSync(path('folder/unrelated'), '')
    expect(areUnchanged(open, {})).toBe(true)
    rmSync(path('folder'), { recursive: true })
    // A link to itself is a path that exists and cannot be entered, also by root.
    symlinkSync(path('folder'), path('folder'))
    expect(areUnchanged(open, {})).toBe(false)
    const locked = await recordLock()
    expect(areUnchanged(locked, {})).toBe(true)
    rmSync(path('folder'))
    expect(areUnchanged(locked, {})).toBe(false)
  })

  it('recorded inputs count as changed after a variable that was read is changed, set or unset', async () => {
    const inputs = await recorded({ SET: 'x' }, ['SET', 'UNSET'])
    expect(areUnchanged(inputs, { SET: 'y' })).toBe(false)
    expect(areUnchanged(inputs, {})).toBe(false)
    expect(areUnchanged(inputs, { SET: 'x', UNSET: '' })).toBe(false)
    expect(areUnchanged(inputs, { SET: 'x' })).toBe(true)
  })

  it('recorded inputs count as changed after a variable is set that was only checked for existence', () => {
    const recorder = recordInputs(realFiles, {})
    expect(Object.hasOwn(recorder.env, 'UNSET')).toBe(false)
    const inputs = recorder.inputs() ?? { files: {}, env: {} }
    expect(areUnchanged(inputs, {})).toBe(true)
    expect(areUnchanged(inputs, { UNSET: 'x' })).toBe(false)
  })

  it('recorded inputs do not contain the values of variables', async () => {
    expect(JSON.stringify(await recorded({ TOKEN: 'hunter2' }, ['TOKEN']))).not.toContain('hunter2')
  })

  it('recorded inputs are undefined if all variables were listed', () => {
    const recorder = recordInputs(realFiles, { A: 'x' })
    expect({ ...recorder.env }).toEqual({ A: 'x' })
    expect(recorder.inputs()).toBeUndefined()
  })
})
