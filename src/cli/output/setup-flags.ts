// The flags of the setup commands.

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
