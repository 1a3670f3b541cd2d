// The importers there are, in the order in which their servers count. A new one is a file and a line here.

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

/** By name; those with a `writer` are the clients that the gateway can be put into. */
export const importers: ReadonlyMap<string, Importer> = new Map(
  [dockerMcp, claudeDesktop, claudeCode, cursor, vscode, copilot, windsurf, codex, gemini, zed, opencode, custom].map(
    (importer) => [importer.name, importer],
  ),
)
