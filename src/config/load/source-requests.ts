// Selects the client files to read: those that the config names, or without a config the default files of every client.

import { basename, dirname } from 'node:path'
import { quoteList } from '../../core/text.ts'
import { didYouMean } from '../check.ts'
import type { SourceInput } from '../config.ts'
import type { ConfigOrigin } from '../find-config.ts'
import type { ClientFile, ImportEnvironment, Importer } from '../imports/importer.ts'
import type { ParsedConfig } from '../parse-config.ts'
import { resolvePath } from '../paths.ts'
import { type ConfigLocation, type ConfigProblem, inside, problemAt } from '../problem.ts'
import type { SourceRequest } from './import-sources.ts'

interface SourceRequests {
  readonly requests: readonly SourceRequest[]
  readonly problems: readonly ConfigProblem[]
}

export function requestSources(
  parsed: ParsedConfig,
  origin: ConfigOrigin,
  importers: ReadonlyMap<string, Importer>,
  environment: ImportEnvironment,
): SourceRequests {
  // `scope: 'project'` means the current folder, which can be any folder. So the user has not named a specific file.
  const needsApproval = ({ path, scope }: SourceInput) => path === undefined && scope === 'project'
  const { requests, problems } =
    origin.kind === 'defaults'
      ? { requests: defaultRequests(importers, environment), problems: [] }
      : namedRequests(parsed.sources, { file: origin.file, needsApproval }, importers, environment)
  return { requests: sortRequests(requests, [...importers.keys()]), problems }
}

/**
 * The order decides which of two servers keeps its name, so it must not depend on the config. Files of the user come
 * before files of a project. Otherwise the order of the importers decides, then the path.
 */
function sortRequests(requests: readonly SourceRequest[], names: readonly string[]): SourceRequest[] {
  const keyOf = ({ importer, files: [first] }: SourceRequest) =>
    [first?.scope === 'project' ? 1 : 0, names.indexOf(importer.name), first?.path ?? ''] as const
  return requests.toSorted((one, other) => {
    const [scope, importer, path] = keyOf(one)
    const [otherScope, otherImporter, otherPath] = keyOf(other)
    return scope - otherScope || importer - otherImporter || (path < otherPath ? -1 : path > otherPath ? 1 : 0)
  })
}

/**
 * The folders to which the relative paths in a config file can refer: its own folder and, for a file in `.toolcrib/`,
 * also the folder above it, which is the project or the home folder.
 */
export function baseFolders(file: string): string[] {
  const folder = dirname(file)
  return basename(folder) === '.toolcrib' ? [folder, dirname(folder)] : [folder]
}

/** The requests without a config: the files of the user in every client, and project files, which need an approval. */
function defaultRequests(importers: ReadonlyMap<string, Importer>, environment: ImportEnvironment): SourceRequest[] {
  return [...importers.values()].flatMap((importer) => {
    const files = importer.paths(environment)
    return [
      { importer, files: ofScope(files, 'user'), isNamed: false, needsApproval: false },
      { importer, files: ofScope(files, 'project'), isNamed: false, needsApproval: true },
    ]
  })
}

/** The requests for the sources that a config names. `file` is the config. */
export function namedRequests(
  sources: ParsedConfig['sources'],
  { file, needsApproval }: { readonly file: string; needsApproval(source: SourceInput): boolean },
  importers: ReadonlyMap<string, Importer>,
  environment: ImportEnvironment,
): SourceRequests {
  const requests: SourceRequest[] = []
  const problems: ConfigProblem[] = []
  for (const { source, location } of sources) {
    const importer = importers.get(source.type)
    if (importer === undefined) {
      problems.push(unknownType(source.type, importers, location))
      continue
    }
    const files = filesOf(source, importer, file, environment)
    if (files.length === 0) {
      const message = `'${source.type}' has no default file for the scope '${source.scope ?? 'user'}'. Set 'path'`
      problems.push(problemAt(inside(location, 'path'), { expected: 'a path', found: 'nothing', message }))
    }
    requests.push({ importer, files, isNamed: true, needsApproval: needsApproval(source) })
  }
  return { requests, problems }
}

function filesOf(
  { path, scope = 'user' }: SourceInput,
  importer: Importer,
  file: string,
  environment: ImportEnvironment,
): ClientFile[] {
  if (path === undefined) return ofScope(importer.paths(environment), scope)
  const { home, platform } = environment
  const paths = baseFolders(file).map((base) => resolvePath(path, { home, platform, base }))
  return [...new Set(paths)].map((one) => ({ path: one, scope }))
}

function ofScope(files: readonly ClientFile[], scope: ClientFile['scope']): ClientFile[] {
  return files.filter((file) => file.scope === scope)
}

function unknownType(type: string, importers: ReadonlyMap<string, Importer>, location: ConfigLocation): ConfigProblem {
  const names = [...importers.keys()]
  return problemAt(inside(location, 'type'), {
    expected: `one of ${quoteList(names)}`,
    found: `'${type}'`,
    message: `Unknown source type '${type}'${didYouMean(type, names)}`,
  })
}
