// Creates one note about the files of the current folder that are not used, with the reason and the next step.

import type { SourceReport } from './import-sources.ts'
import type { ProjectReport } from './project-config.ts'

interface ProjectFiles {
  readonly project?: ProjectReport
  readonly sources: readonly SourceReport[]
}

/** `shown` formats a path for printing. Returns undefined if there is nothing to report. */
export function projectNote(files: ProjectFiles, shown: (path: string) => string): string | undefined {
  const { project, sources } = files
  const own = project === undefined ? undefined : ownNote(project, shown(project.file))
  const waiting = [
    ...(project?.state === 'unapproved' && own === undefined ? [project.file] : []),
    ...pathsIn(sources, 'unapproved'),
  ]
  const refused = pathsIn(sources, 'refused').map(
    (path) =>
      `${shown(path)} is not used: another user owns it or can write it. \`toolcrib trust\` shows how to fix it.`,
  )
  const names = [...new Set(waiting)].map(shown)
  const notes = [
    ...(own === undefined ? [] : [own]),
    ...(names.length === 0 ? [] : [notApproved(names)]),
    ...new Set(refused),
  ]
  return notes.length === 0 ? undefined : notes.join(' ')
}

/** Whether `toolcrib trust` can approve one of the files, or shows how to make that possible. */
export function isForTrust({ project, sources }: ProjectFiles): boolean {
  const own = project?.state === 'refused' || (isUnapproved(project) && project?.fault === undefined)
  return own || sources.some(({ state }) => state === 'unapproved' || state === 'refused')
}

const TRUST = '`toolcrib trust` shows what would run, and asks.'

/** Undefined for a file that is used, or that only needs its first approval. */
function ownNote({ state, at, fault }: ProjectReport, file: string): string | undefined {
  switch (state) {
    case 'used':
      return undefined
    case 'unapproved':
      return fault === undefined ? undefined : `${file} is not used, and cannot be approved as it is: ${ended(fault)}`
    case 'changed': {
      const why = `${file} has changed since you approved it${at === undefined ? '' : ` on ${at.slice(0, 10)}`}`
      return fault === undefined ? `${why}, so it is not used. ${TRUST}` : `${why}, and it is not used: ${ended(fault)}`
    }
    case 'refused':
      return `${file}: ${ended(fault ?? 'It is refused')}`
    case 'unreadable':
      return `${file} is not used: ${ended(fault ?? 'it cannot be read')}`
    case 'invalid':
      return `${file} is approved, but it is not used: ${ended(fault ?? 'it has an error')} \`toolcrib config validate\` lists all errors.`
  }
}

function isUnapproved(project: ProjectReport | undefined): boolean {
  return project?.state === 'unapproved' || project?.state === 'changed'
}

function notApproved(names: readonly string[]): string {
  const are = names.length === 1 ? 'is not approved, so it is' : 'are not approved, so they are'
  return `${names.join(', ')} ${are} not used. ${TRUST}`
}

function pathsIn(sources: readonly SourceReport[], state: SourceReport['state']): readonly string[] {
  return sources.filter((source) => source.state === state).map(({ path }) => path)
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
