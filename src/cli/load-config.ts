// The configuration as every command reads it: with what the user has approved of a project's files.

import type { ConfigFiles } from '../config/config-files.ts'
import { type LoadedConfig, type LoadOptions, loadConfig } from '../config/load.ts'
import { approvalsFile, readApprovals } from './approvals.ts'
import type { Environment } from './environment.ts'

export interface LoadFlags {
  /** The file given with --config. */
  readonly config?: string | undefined
  readonly ownUrls?: LoadOptions['ownUrls']
  /** Left out: the real ones. */
  readonly files?: ConfigFiles | undefined
}

export async function loadFor(environment: Environment, flags: LoadFlags, signal?: AbortSignal): Promise<LoadedConfig> {
  const { cwd, home, platform, env, configDir, stateDir } = environment
  const loaded = await loadConfig({
    cwd,
    home,
    platform,
    env,
    configDir,
    explicit: flags.config,
    ownUrls: flags.ownUrls,
    files: flags.files,
    approved: await readApprovals(stateDir),
    signal,
  })
  // An approval takes effect on a gateway that runs.
  return { ...loaded, watched: [...loaded.watched, approvalsFile(stateDir)] }
}
