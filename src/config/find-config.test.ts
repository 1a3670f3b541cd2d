import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findConfig } from './find-config.ts'
import { type TempFolder, tempFolder } from './temp-folder.fixture.ts'

const ENDINGS = ['ts', 'js', 'mjs', 'json', 'jsonc', 'yaml', 'yml']
const PLACES = [
  'work/.toolcrib/config',
  'work/toolcrib.config',
  'home/.toolcrib/config',
  'home/.config/toolcrib/config',
]

function optionsIn(folder: TempFolder) {
  return { cwd: folder.at('work'), home: folder.at('home'), configDir: folder.at('home', '.config', 'toolcrib') }
}

describe('the config in force', () => {
  it('is the first found, from the project outwards and by its ending', async () => {
    const folder = tempFolder()
    const all = PLACES.flatMap((place) => ENDINGS.map((ending) => `${place}.${ending}`))
    // The last first: each new file takes over from all that were there.
    for (const [index, file] of all.toReversed().entries()) {
      folder.write(file, '')
      const { origin, others } = await findConfig(optionsIn(folder))
      expect(origin).toEqual({ kind: file.startsWith('work') ? 'project' : 'user', file: folder.at(file) })
      expect(others).toHaveLength(index)
    }
  })

  it('is none where there is none', async () => {
    const folder = tempFolder()
    const { origin, candidates } = await findConfig(optionsIn(folder))
    expect(origin).toEqual({ kind: 'defaults' })
    expect(candidates).toHaveLength(PLACES.length * ENDINGS.length)
  })

  it('is the one that is named, relative to the current folder or to home', async () => {
    const folder = tempFolder()
    folder.write('work/.toolcrib/config.json', '')
    for (const [explicit, file] of [
      ['other.yaml', 'work/other.yaml'],
      ['~/mine.json', 'home/mine.json'],
      [folder.at('abs.json'), 'abs.json'],
    ] as const) {
      const { origin } = await findConfig({ ...optionsIn(folder), explicit })
      expect(origin).toEqual({ kind: 'explicit', file: folder.at(file) })
    }
  })

  it('is no folder of that name', async () => {
    const folder = tempFolder()
    folder.write('work/toolcrib.config.ts/x', '')
    expect((await findConfig(optionsIn(folder))).origin).toEqual({ kind: 'defaults' })
  })

  it("is the user's where the current folder is home", async () => {
    const folder = tempFolder()
    folder.write('home/.toolcrib/config.json', '')
    const { origin, others } = await findConfig({ ...optionsIn(folder), cwd: folder.at('home') })
    expect(origin).toEqual({ kind: 'user', file: join(folder.path, 'home/.toolcrib/config.json') })
    expect(others).toEqual([])
  })
})
