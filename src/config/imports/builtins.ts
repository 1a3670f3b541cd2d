// All importers, in the order of their precedence. To add one, add a file and a line here.

import { claudeCode } from './claude-code.ts'
import { claudeDesktop } from './claude-desktop.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import { custom } from './custom.ts'
import { dockerMcp } from './docker-mcp.ts'
import { gemini } from './gemini.ts'
import type { Importer } from './importer.ts'
import { opencode } from './opencode.ts'
import { vscode } from './vscode.ts'
import { windsurf } from './windsurf.ts'
import { zed } from './zed.ts'

const builtins = [
  dockerMcp,
  claudeDesktop,
  claudeCode,
  cursor,
  vscode,
  copilot,
  windsurf,
  codex,
  gemini,
  zed,
  opencode,
  custom,
] as const

/** The name of a built-in importer. */
export type ImporterName = (typeof builtins)[number]['name']

/** The importers by name. An importer with a `writer` belongs to a client that the gateway can be installed into. */
export const importers: ReadonlyMap<string, Importer> = new Map(
  builtins.map((importer): [string, Importer] => [importer.name, importer]),
)
