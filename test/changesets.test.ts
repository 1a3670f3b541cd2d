// The files of changesets: a release can be made from them.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const CLI = 'node_modules/@changesets/cli/bin.js'

it('`changeset version` writes pending changes to the changelog and raises the version, or keeps it if there are none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'changesets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['.changeset', 'CHANGELOG.md', 'package.json', 'package-lock.json']) {
    cpSync(name, join(folder, name), { recursive: true })
  }
  const versionOf = () => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
  const before = versionOf()
  const pending = readdirSync('.changeset').filter((name) => name.endsWith('.md') && name !== 'README.md')
  const { status, stderr } = spawnSync(process.execPath, [join(process.cwd(), CLI), 'version'], { cwd: folder })
  expect(`${stderr}`.replace(/^.*(?:warn|ExperimentalWarning).*$/gm, '').trim()).toBe('')
  expect(status).toBe(0)
  const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')
  if (pending.length === 0) {
    expect(versionOf()).toBe(before)
    expect(changelog).toContain(`## ${before}\n`)
    return
  }
  expect(versionOf()).not.toBe(before)
  expect(changelog).toContain(`## ${versionOf()}\n`)
  for (const name of pending) {
    const [, text = ''] = readFileSync(join('.changeset', name), 'utf8').split(/^---$(?![\s\S]*^---$)/m)
    expect(changelog.replaceAll(/\s+/g, ' ')).toContain(text.trim().replaceAll(/\s+/g, ' '))
  }
})
