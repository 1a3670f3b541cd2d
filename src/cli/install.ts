// toolcrib install: the gateway in a client's config, in place of the servers that it fronts from now on.

import type { Command } from 'commander'
import type { Environment } from './environment.ts'
import type { InstallFlags } from './setup/flags.ts'
import { commandOf, run } from './work.ts'

export function installCommand(environment: Environment): Command {
  return withOptions(
    commandOf(
      'install',
      "Put the gateway into a client's config, in place of the servers that it fronts.",
      'install cursor --dry-run',
    ),
  ).action((client: string, flags: InstallFlags) =>
    run(environment, flags, async (work) =>
      (await import('./setup/install-client.ts')).installClient(work, client, flags),
    ),
  )
}

export function withOptions(command: Command): Command {
  return command
    .argument('<client>', 'claude-desktop, claude-code, cursor, vscode, copilot, windsurf, codex, gemini, zed, …')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('-y, --yes', 'do not ask')
    .option('--project', "the project's file instead of the user's")
}
