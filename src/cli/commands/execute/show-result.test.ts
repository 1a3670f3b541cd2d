import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type CommandResult, success } from '../../../core/result.ts'
import { showResult } from './show-result.ts'

it.each([
  ['constructor', 'bin'],
  ['__proto__', 'bin'],
  ['image/png; charset=x', 'png'],
])('saves content of the type %s with the extension %s', async (mimeType, extension) => {
  const cwd = mkdtempSync(join(tmpdir(), 'toolcrib-show-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  const result: CommandResult = { ...success(null), wire: { content: [{ type: 'image', mimeType, data: 'aGk=' }] } }
  const shown = await showResult(result, { out: 'out', cwd, tool: 'draw' })
  expect(shown.unsaved).toBeUndefined()
  expect(readdirSync(join(cwd, 'out'))).toEqual([`draw-1.${extension}`])
})
