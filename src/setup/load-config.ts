// Loads the configuration with the user's approvals of project files.

import { type ConfigFiles, realFiles } from '../config/config-files.ts'
import { findConfig } from '../config/find-config.ts'
import { type LoadedConfig, type LoadOptions, loadConfig } from '../config/load/load.ts'
import { type ConfigProblem, faultText } from '../config/problem.ts'
import { STORE_VARIABLE } from '../config/store-setting.ts'
import { raise } from '../core/errors.ts'
import { findRuleProblems } from '../rules/rule-findings.ts'
import { approvalsFile, readApprovals } from './approvals.ts'
import type { Environment, SetupJob } from './environment.ts'

interface LoadFlags extends Pick<LoadOptions, 'ownUrls' | 'files'> {
  /** The file given with --config. */
  readonly config?: string | undefined
}

export async function loadFor(environment: Environment, flags: LoadFlags, signal?: AbortSignal): Promise<LoadedConfig> {
  const { env, stateDir, secretNames } = environment
  const loaded = await loadConfig({
    ...environment,
    explicit: flags.config,
    ownUrls: flags.ownUrls,
    files: flags.files,
    approved: await readApprovals(stateDir),
    findRuleProblems,
    signal,
  })
  const config = { ...loaded.config, store: env[STORE_VARIABLE] || loaded.config.store }
  // A running gateway watches the approvals file too, so an approval takes effect at once.
  return { ...loaded, config, secretNames, watched: [...loaded.watched, approvalsFile(stateDir)] }
}

/** Raises if the file given with --config does not exist. */
export async function requireGivenConfig(environment: Environment, given: string | undefined): Promise<void> {
  if (given === undefined) return
  const { origin } = await findConfig({ ...environment, explicit: given })
  const file = origin.kind === 'defaults' ? given : origin.file
  if (!(await realFiles.isFile(file))) raise('CONFIG_MISSING', { file, given })
}

/** Loads the configuration, and raises if it has an error. */
export async function loadValid(job: SetupJob, files?: ConfigFiles): Promise<LoadedConfig> {
  const loaded = await loadFor(job.environment, { config: job.flags.config, files }, job.signal)
  return loaded.isValid ? loaded : refuse(loaded, job)
}

/**
 * Loads the configuration as a gateway does at its start: a setting with an error is left out or has its safe value.
 * Raises if no part of the file can be read.
 */
export async function loadReadable(job: SetupJob): Promise<LoadedConfig> {
  const loaded = await loadFor(job.environment, { config: job.flags.config }, job.signal)
  const isUnreadable = configErrorsIn(loaded).some(({ path }) => path === '')
  return isUnreadable ? refuse(loaded, job) : loaded
}

/** The errors in the config of the user. */
export function configErrorsIn({ isValid, origin, problems }: LoadedConfig): readonly ConfigProblem[] {
  if (isValid || origin.kind === 'defaults') return []
  return problems.filter(({ severity, file }) => severity === 'error' && file === origin.file)
}

/** The first error, with its path in the file. Empty if there is none. */
export function firstErrorIn({ problems }: LoadedConfig): string {
  const first = problems.find(({ severity }) => severity === 'error')
  return first === undefined ? '' : faultText(first)
}

async function refuse(loaded: LoadedConfig, { environment, flags }: SetupJob): Promise<never> {
  await requireGivenConfig(environment, flags.config)
  const file = loaded.origin.kind === 'defaults' ? '' : loaded.origin.file
  return raise('CONFIG_INVALID', { file, reason: firstErrorIn(loaded), given: flags.config })
}
