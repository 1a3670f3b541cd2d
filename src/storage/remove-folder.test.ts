import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { removeFolder } from './remove-folder.fixture.ts'

const WRITER = `
const { mkdirSync, writeFileSync } = require('node:fs')
const attempt = (task) => { try { task() } catch {} }
const write = (n) => {
  attempt(() => mkdirSync('sub'))
  attempt(() => writeFileSync('sub/' + n, ''))
}
write(0)
console.log('started')
const end = Date.now() + 300
for (let n = 1; Date.now() < end; n++) write(n)
`

it('removes a folder while a process that is ending still creates files in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-remove-'))
  const writer = spawn(process.execPath, ['-e', WRITER], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(writer, 'exit')
  await once(writer.stdout, 'data')
  await removeFolder(folder)
  await ended
  expect(existsSync(folder)).toBe(false)
})
