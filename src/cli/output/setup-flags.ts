// The flags of the commands that change config files and approvals.

import type { Command } from 'commander'
import type { CommonFlags } from './work.ts'

export interface ImportFlags extends CommonFlags {
  readonly from?: readonly string[]
  readonly write?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export interface InstallFlags extends CommonFlags {
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly project?: boolean
  /** The command line that starts the gateway. */
  readonly command?: string
  /** Gives the client the servers of other clients too. */
  readonly withOthers?: boolean
  /** Lets the client join the gateway that all clients share. */
  readonly shared?: boolean
}

export interface UninstallFlags extends InstallFlags {
  readonly all?: boolean
  readonly purge?: boolean
}

export interface InitFlags extends CommonFlags {
  readonly project?: boolean
  readonly ts?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export interface TrustFlags extends CommonFlags {
  readonly list?: boolean
  readonly revoke?: boolean
  readonly yes?: boolean
}

/** Adds the argument and the options that `install` and `uninstall` share. */
export function withSetupOptions(command: Command): Command {
  return command
    .usage('[options] [client]')
    .argument(
      '[client]',
      'the name of a client, such as claude-desktop, cursor or vscode; without it, clients are listed',
    )
    .option('--dry-run', 'show what would change, and change nothing')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--project', "change the project's file instead of the user's")
}
