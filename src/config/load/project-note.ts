// Creates notes about files that are not used, with the reason and the next step.

import { REFUSAL_REASON } from '../approval.ts'
import { type ConfigProblem, faultText } from '../problem.ts'
import type { SourceReport } from './import-sources.ts'
import type { ProjectReport } from './project-config.ts'

interface ProjectFiles {
  readonly project?: ProjectReport
  readonly sources: readonly SourceReport[]
}

/** The note about the first config file or client file that cannot be read. Undefined if there is none. */
export function unreadNote(
  { problems, project, sources }: ProjectFiles & { readonly problems: readonly ConfigProblem[] },
  showPath: (path: string) => string,
): string | undefined {
  // `projectNote` reports these files.
  const reported = new Set([project?.file, ...pathsIn(sources, 'unapproved'), ...pathsIn(sources, 'refused')])
  const first = problems.find(({ severity, path, file }) => severity === 'error' && path === '' && !reported.has(file))
  if (first === undefined) return undefined
  return `${showPath(first.file)} is not used: ${withPeriod(faultText(first))} \`toolcrib config validate\` lists all errors.`
}

/** The note about files of the current folder. `showPath` formats a path. Returns undefined if all of them are used. */
export function projectNote(files: ProjectFiles, showPath: (path: string) => string): string | undefined {
  const { project, sources } = files
  const note = project === undefined ? undefined : configNote(project, showPath(project.file))
  const waiting = [
    ...(project?.state === 'unapproved' && note === undefined ? [project.file] : []),
    ...pathsIn(sources, 'unapproved'),
  ]
  const refused = pathsIn(sources, 'refused').map(
    (path) => `${showPath(path)} is not used: ${REFUSAL_REASON}. \`toolcrib trust\` shows how to fix it.`,
  )
  const names = [...new Set(waiting)].map(showPath)
  const notes = [
    ...(note === undefined ? [] : [note]),
    ...(names.length === 0 ? [] : [notApproved(names)]),
    ...new Set(refused),
  ]
  return notes.length === 0 ? undefined : notes.join(' ')
}

/** Whether `toolcrib trust` can approve one of the files, or shows how to make that possible. */
export function isForTrust({ project, sources }: ProjectFiles): boolean {
  const isApprovable = project?.fault === undefined && (project?.state === 'unapproved' || project?.state === 'changed')
  const isProjectForTrust = project?.state === 'refused' || isApprovable
  return isProjectForTrust || sources.some(({ state }) => state === 'unapproved' || state === 'refused')
}

const TRUST = '`toolcrib trust` shows what would run, and asks you to approve it.'

/** The note about the project config. Undefined if it is used, or if it only needs its first approval. */
function configNote({ state, at, fault }: ProjectReport, file: string): string | undefined {
  switch (state) {
    case 'used':
      return undefined
    case 'unapproved':
      return fault === undefined
        ? undefined
        : `${file} is not used, and cannot be approved as it is: ${withPeriod(fault)}`
    case 'changed': {
      const why = `${file} has changed since you approved it${at === undefined ? '' : ` on ${at.slice(0, 10)}`}`
      return fault === undefined
        ? `${why}, so it is not used. ${TRUST}`
        : `${why}, and it is not used: ${withPeriod(fault)}`
    }
    case 'refused':
      return `${file}: ${withPeriod(fault ?? 'It is refused')}`
    case 'unreadable':
      return `${file} is not used: ${withPeriod(fault ?? 'it cannot be read')}`
    case 'invalid':
      return `${file} is approved, but it is not used: ${withPeriod(fault ?? 'it has an error')} \`toolcrib config validate\` lists all errors.`
  }
}

function notApproved(names: readonly string[]): string {
  const are = names.length === 1 ? 'is not approved, so it is' : 'are not approved, so they are'
  return `${names.join(', ')} ${are} not used. ${TRUST}`
}

function pathsIn(sources: readonly SourceReport[], state: SourceReport['state']): readonly string[] {
  return sources.filter((source) => source.state === state).map(({ path }) => path)
}

function withPeriod(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
