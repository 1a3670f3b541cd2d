// toolcrib config validate: reports every error in the configuration, and every rule without the expected effect.

import type { LoadedConfig } from '../../../config/load/load.ts'
import { renderProblem, type Severity } from '../../../config/problem.ts'
import { ToolcribError } from '../../../core/errors.ts'
import type { KnownTools } from '../../../rules/rule-findings.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { type FoundProblem, problemsIn } from '../../checks/problems-in.ts'
import { openSession } from '../../gateway/session.ts'
import { count } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'

/** The exit code for a configuration that is not valid. */
const INVALID = 2

export async function validateConfig(work: Work): Promise<number> {
  const { output, environment, flags, signal } = work
  const loaded = await loadFor(environment, flags, signal)
  const { known, refusal } = await inspectTools(work, loaded)
  const found = problemsIn(loaded, { ...environment, secretsPlace: environment }, known)
  const isNew = refusal !== undefined && !found.some(({ message }) => message === refusal.message)
  const problems = isNew ? [...found, refusal] : found
  const withSeverity = (severity: Severity) => problems.filter((problem) => problem.severity === severity)
  const [errors, warnings, infos] = [withSeverity('error'), withSeverity('warning'), withSeverity('info')]
  const isValid = errors.length === 0
  const file = loaded.origin.kind === 'defaults' ? null : loaded.origin.file
  output.show({ valid: isValid, file, errors, warnings, notes: infos }, () => {
    const lineOf = (problem: FoundProblem) => output.shorten(textOf(problem))
    if (output.isQuiet) return errors.map(lineOf)
    const { paint } = output
    const counts = [count(errors.length, 'error'), count(warnings.length, 'warning')].join(', ')
    const head = isValid
      ? `${paint.green('✓')} The configuration is valid`
      : `${paint.red('✗')} The configuration is not valid`
    const shown = [...errors, ...warnings, ...(output.isVerbose ? infos : [])]
    const lines = shown.flatMap((problem) => output.wrap(lineOf(problem), '  '))
    return [
      `${head} (${counts})`,
      ...(file === null ? ['  There is no config file, so the defaults apply.'] : []),
      ...lines,
    ]
  })
  return isValid ? 0 : INVALID
}

function textOf(problem: FoundProblem): string {
  const { severity, message, file, path, expected, found, ...rest } = problem
  if (file === undefined || path === undefined) return `${severity}: ${message}`
  return renderProblem({ severity, message, file, path, expected: expected ?? '', found: found ?? '', ...rest })
}

/**
 * Returns the tools that are known without starting a server, or why a gateway cannot use this configuration: for
 * example, its store needs a package that is not installed. Empty if the configuration is not valid.
 */
async function inspectTools(
  work: Work,
  loaded: LoadedConfig,
): Promise<{ readonly known?: KnownTools; readonly refusal?: FoundProblem }> {
  if (!loaded.isValid) return {}
  try {
    await using session = await openSession(work, { loaded })
    return { known: await session.knownTools() }
  } catch (error) {
    if (!(error instanceof ToolcribError) || error.code !== 'INVALID_OPTIONS') throw error
    return { refusal: { severity: 'error', message: error.message } }
  }
}
