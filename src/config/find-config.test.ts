import { symlinkSync } from 'node:fs'
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

describe('the config in force', () => {
  it.each([
    ['the user', OF_USER],
    ['the project', OF_PROJECT],
  ])('is, of the files of %s, the first by place and then by ending', async (whose, places) => {
    const folder = tempFolder()
    const all = places.flatMap((place) => ENDINGS.map((ending) => `${place}.${ending}`))
    // The last first: each new file takes over from all that were there.
    for (const [index, name] of all.toReversed().entries()) {
      const file = folder.write(name, '')
      const { origin, project, others } = await findConfig(optionsIn(folder))
      expect(origin).toEqual(whose === 'the user' ? { kind: 'user', file } : { kind: 'defaults' })
      expect(project).toBe(whose === 'the user' ? undefined : file)
      expect(others.map(({ first }) => first)).toEqual(Array(index).fill(file))
    }
  })

  it("is the user's where the folder has one too, and that is found beside it", async () => {
    const folder = tempFolder()
    const file = folder.write('home/.toolcrib/config.json', '')
    const project = folder.write('work/toolcrib.config.ts', '')
    expect(await findConfig(optionsIn(folder))).toMatchObject({ origin: { kind: 'user', file }, project, others: [] })
  })

  it('is none where there is none', async () => {
    const folder = tempFolder()
    const { origin, project, candidates } = await findConfig(optionsIn(folder))
    expect([origin, project]).toEqual([{ kind: 'defaults' }, undefined])
    expect(candidates).toHaveLength((OF_USER.length + OF_PROJECT.length) * ENDINGS.length)
  })

  it('is the one that is named, relative to the current folder or to home', async () => {
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

  it('is no folder of that name', async () => {
    const folder = tempFolder()
    folder.write('work/toolcrib.config.ts/x', '')
    expect((await findConfig(optionsIn(folder))).origin).toEqual({ kind: 'defaults' })
  })

  it("is the user's own where the current folder is home, by whatever path it is reached", async () => {
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
