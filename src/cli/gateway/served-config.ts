// Describes the servers and notes of a configuration, before any server is started.

import type { LoadedConfig } from '../../config/load/load.ts'
import { projectNote, unreadNote } from '../../config/load/project-note.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import { manifestKey } from '../../sources/upstream/manifest.ts'
import type { ConfigWarning, ServingNote } from '../output/notes.ts'
import { oneLine, shortenPaths, shortPath } from '../output/text.ts'
import { unsetNames } from './server-variables.ts'

/** The part of a server's config that decides whether it can start. */
export interface Startable {
  readonly id: string
  /** The key of its manifest. */
  readonly key: string
  /** The variables that its connection refers to without a default, except the personal ones. */
  readonly variables: readonly string[]
}

export interface ServedConfig {
  /** The enabled servers. */
  readonly startable: readonly Startable[]
  /** The names of the disabled servers. */
  readonly switchedOff: readonly string[]
  /** Whether the configuration disables discovery. */
  readonly isDiscoveryOff: boolean
  /** The entries that are served under another name, or not served. */
  readonly servingNotes: readonly ServingNote[]
  /** The files of clients that cannot be read, for example because they are not valid JSON. */
  readonly sourceWarnings: readonly ConfigWarning[]
  /** The config files with the rules of the user and of the project, with `~` for the home folder. */
  readonly rulesFiles?: { readonly user?: string | undefined; readonly project?: string | undefined }
  /** About a config file or a client file that cannot be read. */
  readonly unreadNote?: string | undefined
  /** About config files of the current folder that are not used. */
  readonly projectNote?: string | undefined
}

/** The names of the sources that a config in code defines. They have tools like a server, and need no start. */
export function ownSourceNames({ config: { discovery, plugins } }: LoadedConfig): readonly string[] {
  return discovery.enabled ? (plugins?.sources ?? []).map(({ name }) => name) : []
}

export function startableOf(server: ServerConfig): Startable {
  return { id: server.name, key: manifestKey(server), variables: unsetNames(server.connection, {}) }
}

export function servedConfig(loaded: LoadedConfig, home: string): ServedConfig {
  const { servers, config, problems, origin, project } = loaded
  const shown = (file: string | undefined) => (file === undefined ? undefined : oneLine(shortPath(file, home)))
  const note = projectNote(loaded, (path) => shortPath(path, home))
  return {
    startable: servers.filter(({ enabled }) => enabled).map(startableOf),
    switchedOff: servers.filter(({ enabled }) => !enabled).map(({ name }) => name),
    isDiscoveryOff: !config.discovery.enabled,
    servingNotes: problems
      .filter(({ isAboutServing }) => isAboutServing === true)
      .map(({ file, path, message }) => ({ file, path, message })),
    sourceWarnings: sourceWarnings(loaded, home),
    rulesFiles: { user: shown(origin.kind === 'defaults' ? undefined : origin.file), project: shown(project?.file) },
    unreadNote: unreadNote(loaded, (path) => shortPath(path, home)),
    // The reason in the note may have a command with a path.
    projectNote: note === undefined ? undefined : oneLine(shortenPaths(note, home)),
  }
}

function sourceWarnings({ sources, problems }: LoadedConfig, home: string): readonly ConfigWarning[] {
  return problems.flatMap(({ severity, file, path, line, column, message }) => {
    const source = sources.find((one) => one.path === file && one.servers === 0)
    if (source === undefined || severity !== 'error' || path !== '') return []
    const position = line === undefined ? '' : `:${line}:${column ?? 1}`
    return [{ message: `The servers of ${source.type} are not used: ${shortPath(file, home)}${position}: ${message}` }]
  })
}
