// The output in a narrow terminal.

import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { connect, covers, hasTerminal, runOnTerminal, useRealHome } from './harness.ts'

const home = useRealHome()

const commands = [
  ['stats'],
  ['status'],
  ['doctor'],
  ['list', '--status', '--tools'],
  ['search', 'read a text file'],
  ['tools', 'files', '--all', '--tags'],
  ['tools', 'no-such-server'],
  ['execute', 'files', 'write_file', 'path=a', 'content=b'],
  ['config', 'show'],
  ['serve', '--explain', '--strategy', 'categories', '--listing', 'hybrid', '--core', 'nope_*'],
]

describe.skipIf(!hasTerminal).each([60, 40])('at %i columns', (columns) => {
  it.each(commands.map((words) => [words.join(' '), words] as const))(
    '%s wraps every line that contains a space at the width of the terminal',
    async (_, words) => {
      covers('CLI-NARROW')
      const { stdout } = await runOnTerminal(home, words, { columns })
      const lines = shown(stdout)
      expect(lines.length).toBeGreaterThan(1)
      expect(lines.filter((line) => line.length > columns && /\S\s+\S/.test(line.trim().slice(2)))).toEqual([])
    },
  )
})

it.skipIf(!hasTerminal)('a question is wrapped at words, with its answers on the last line', async () => {
  covers('CLI-NARROW')
  const words = ['disable', 'files']
  const { stdout } = await runOnTerminal(home, words, { columns: 30, typed: [['[y/N] ', 'n\n']] })
  const lines = shown(stdout).filter((line) => /Write|config/.test(line))
  expect(lines.filter((line) => line.length > 30 && /\S\s+\S/.test(line.trim()))).toEqual([])
  expect(stripVTControlCharacters(stdout)).toMatch(/Write\s+\S+\?\s\[y\/N\] /)
})

it.skipIf(!hasTerminal)('stats prints the column name before each figure if the table does not fit', async () => {
  covers('CLI-NARROW')
  const client = await connect(home)
  await client.listTools()
  await client.callTool({ name: 'execute_tool', arguments: { tool: 'files:write_file', arguments: {} } })
  await client.close()
  const wide = shown((await runOnTerminal(home, ['stats'], { columns: 120 })).stdout).join('\n')
  expect(wide).toMatch(/server +calls +errors +median +p95 +tokens +all sessions\n/)
  expect(wide).toMatch(/files:write_file \(disabled\) +\d+ .* - +-\n/)
  const narrow = shown((await runOnTerminal(home, ['stats'], { columns: 50 })).stdout).join('\n')
  expect(narrow).toMatch(/\n {2}everything\n {4}calls 0, errors 0, tokens [\d,]+,\n? +all sessions [\d,]+\n/)
})

/** Removes the progress line. */
function shown(stdout: string): readonly string[] {
  return stripVTControlCharacters(stdout)
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
}
