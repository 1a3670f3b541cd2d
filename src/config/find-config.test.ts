import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findConfig } from './find-config.ts'
import { type TempFolder, tempFolder } from './temp-folder.fixture.ts'

const ENDINGS = ['ts', 'js', 'mjs', 'json', 'jsonc', 'yaml', 'yml']
const OF_USER = ['home/.toolcrib/config', 'home/.config/toolcrib/config']
const OF_PROJECT = ['work/.toolcrib/config', 'work/toolcrib.config']

function optionsIn(folder: TempFolder) {
  return { cwd: folder.at('work'), home: folder.at('home'), configDir: folder.at('home', '.config', 'toolcrib') }
}

describe('findConfig', () => {
  it.each([
    ['the user', OF_USER],
    ['the project', OF_PROJECT],
  ])('chooses among the files of %s by folder first, then by file extension', async (whose, stems) => {
    const folder = tempFolder()
    const all = stems.flatMap((stem) => ENDINGS.map((ending) => `${stem}.${ending}`))
    // Starts with the last file, so that each new file has precedence over all existing ones.
    for (const [index, name] of all.toReversed().entries()) {
      const file = folder.write(name, '')
      const { origin, project, others } = await findConfig(optionsIn(folder))
      expect(origin).toEqual(whose === 'the user' ? { kind: 'user', file } : { kind: 'defaults' })
      expect(project).toBe(whose === 'the user' ? undefined : file)
      expect(others.map(({ first }) => first)).toEqual(Array(index).fill(file))
    }
  })

  it('prefers the config of the user, and also returns the config of the current folder', async () => {
    const folder = tempFolder()
    const file = folder.write('home/.toolcrib/config.json', '')
    const project = folder.write('work/toolcrib.config.ts', '')
    expect(await findConfig(optionsIn(folder))).toMatchObject({ origin: { kind: 'user', file }, project, others: [] })
  })

  it('returns the defaults if no config exists', async () => {
    const folder = tempFolder()
    const { origin, project, candidates } = await findConfig(optionsIn(folder))
    expect([origin, project]).toEqual([{ kind: 'defaults' }, undefined])
    expect(candidates).toHaveLength((OF_USER.length + OF_PROJECT.length) * ENDINGS.length)
  })

  it('returns config.json of a folder that cannot be entered, unless a preferred folder has a config', async () => {
    const folder = tempFolder()
    // Even root cannot enter a link to itself.
    const lock = (path: string) => symlinkSync(folder.at(path), folder.at(path))
    mkdirSync(folder.at('home/.config'), { recursive: true })
    lock('home/.config/toolcrib')
    const originOf = async () => (await findConfig(optionsIn(folder))).origin
    expect(await originOf()).toEqual({ kind: 'user', file: folder.at('home/.config/toolcrib/config.json') })
    const file = folder.write('home/.toolcrib/config.yaml', '')
    expect(await originOf()).toEqual({ kind: 'user', file })
    rmSync(folder.at('home/.config/toolcrib'))
    folder.write('home/.config/toolcrib/config.ts', '')
    rmSync(folder.at('home/.toolcrib'), { recursive: true })
    lock('home/.toolcrib')
    expect(await originOf()).toEqual({ kind: 'user', file: folder.at('home/.toolcrib/config.json') })
  })

  it('returns the config given explicitly, relative to the current folder or to home', async () => {
    const folder = tempFolder()
    folder.write('work/.toolcrib/config.json', '')
    for (const [explicit, file] of [
      ['other.yaml', 'work/other.yaml'],
      ['~/mine.json', 'home/mine.json'],
      [folder.at('abs.json'), 'abs.json'],
    ] as const) {
      const { origin, project } = await findConfig({ ...optionsIn(folder), explicit })
      expect(origin).toEqual({ kind: 'explicit', file: folder.at(file) })
      expect(project).toBeUndefined()
    }
  })

  it('ignores a folder with the name of a config file', async () => {
    const folder = tempFolder()
    folder.write('work/toolcrib.config.ts/x', '')
    expect((await findConfig(optionsIn(folder))).origin).toEqual({ kind: 'defaults' })
  })

  it('does not treat the config of the user as a project config if the current folder is home', async () => {
    const folder = tempFolder()
    folder.write('home/.toolcrib/config.json', '')
    symlinkSync(folder.at('home'), folder.at('link'))
    for (const cwd of ['home', 'link']) {
      const { origin, project, others } = await findConfig({ ...optionsIn(folder), cwd: folder.at(cwd) })
      expect(origin).toEqual({ kind: 'user', file: join(folder.path, 'home/.toolcrib/config.json') })
      expect([project, others]).toEqual([undefined, []])
    }
  })
})
