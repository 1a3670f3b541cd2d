import { expect, it } from 'vitest'
import { importers } from './builtins.ts'

it('the built-in importers are in order of precedence, each under its own name', () => {
  expect([...importers.keys()]).toEqual([
    'docker-mcp',
    'claude-desktop',
    'claude-code',
    'cursor',
    'vscode',
    'copilot',
    'windsurf',
    'codex',
    'gemini',
    'zed',
    'opencode',
    'custom',
  ])
  for (const [name, importer] of importers) expect(importer.name).toBe(name)
})
