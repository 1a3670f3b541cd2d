// Finds the files of a folder that need an approval, with everything that they would start, read or run.

import { dirname } from 'node:path'
import { type ApprovalState, judgeFile } from '../../../config/approval.ts'
import { type FileRefusal, realFiles } from '../../../config/config-files.ts'
import { findConfig } from '../../../config/find-config.ts'
import type { Importer } from '../../../config/imports/importer.ts'
import { importSources, type SourceRequest } from '../../../config/load/import-sources.ts'
import { loadImporters } from '../../../config/load/load.ts'
import {
  examineProject,
  NO_ADDITION,
  type ProjectAddition,
  type ProjectContext,
  useProject,
} from '../../../config/load/project-config.ts'
import { namedRequests } from '../../../config/load/source-requests.ts'
import type { ConfigProblem } from '../../../config/problem.ts'
import type { ServerConfig, ToolRule } from '../../../config/server-config.ts'
import { findRuleProblems } from '../../../rules/rule-findings.ts'
import { readApprovals } from '../../../setup/approvals.ts'
import type { Environment } from '../../../setup/environment.ts'
import type { Work } from '../../output/work.ts'

export interface TrustFile {
  readonly path: string
  readonly realPath: string
  readonly folder: string
  readonly sha256: string
  /** `config`, or the name of the client that the file belongs to. */
  readonly source: string
  readonly state: ApprovalState
  readonly refusal?: FileRefusal | undefined
  /** When the current or an earlier text was approved. */
  readonly at?: string
  readonly isCode: boolean
  readonly servers: readonly ServerConfig[]
  readonly rules: readonly ToolRule[]
  /** The variables that its servers may refer to. */
  readonly variables: readonly string[]
  /** Other files that the approval covers. */
  readonly parts: readonly string[]
  /** Packages that code imports. The approval does not cover them. */
  readonly packages: readonly string[]
  readonly hasComputedImports: boolean
  readonly problems: readonly ConfigProblem[]
}

/** The folder to examine is `cwd`. */
export interface TrustEnvironment extends Environment {
  readonly importers: ReadonlyMap<string, Importer>
}

/** Reads the importers from the config of the user only: one in a project's config would run without an approval. */
export async function trustEnvironment({ environment, flags }: Work): Promise<TrustEnvironment> {
  return { ...environment, importers: await loadImporters({ ...environment, explicit: flags.config }) }
}

/** The files of the folder `environment.cwd`. `runsApproved` runs approved code to find what it adds. */
export async function trustFiles(environment: TrustEnvironment, runsApproved: boolean): Promise<readonly TrustFile[]> {
  const { cwd, home, configDir, stateDir, importers } = environment
  const approved = await readApprovals(stateDir)
  const context: ProjectContext = { ...environment, files: realFiles, approved }
  const { project } = await findConfig({ cwd, home, configDir })
  const own = project === undefined ? undefined : await ownFile(project, context, runsApproved)
  const namedBy = { file: project ?? '', needsApproval: () => true }
  const named = namedRequests(own?.sources ?? [], namedBy, importers, environment).requests
  const ofClients = [...importers.values()].map((importer): SourceRequest => {
    const files = importer.paths(environment).filter(({ scope }) => scope === 'project')
    return { importer, files, isNamed: false, needsApproval: true }
  })
  const imported = await importSources([...ofClients, ...named], { ...environment, files: realFiles, approved })
  const others = imported.flatMap(({ report, approvable }): readonly TrustFile[] => {
    if (approvable === undefined) return []
    const { result, ...file } = approvable
    const { servers, rules, problems } = result
    // A problem with the severity `info` reports the entry of the gateway itself.
    if (servers.length === 0 && problems.every(({ severity }) => severity === 'info')) return []
    const none = { isCode: false, packages: [], hasComputedImports: false, variables: [] }
    return [{ ...none, ...file, source: report.type, servers, rules, problems }]
  })
  return [...(own === undefined ? [] : [own]), ...others]
}

/** The config of the folder. If it is code, its servers are known only after it has run. */
async function ownFile(
  project: string,
  context: ProjectContext,
  runsApproved: boolean,
): Promise<TrustFile & { readonly sources: ProjectAddition['sources'] }> {
  const { code, data, parts, problems, ...file } = await examineProject(project, context)
  const judgement = judgeFile(file, context.approved)
  const isRun = code !== undefined && runsApproved && judgement.state === 'approved'
  const { entries, rules, sources, ...addition } = (isRun ? await useProject(project, context) : data) ?? NO_ADDITION
  const allRules = [...rules, ...entries.rules]
  return {
    ...file,
    ...judgement,
    source: 'config',
    isCode: code !== undefined,
    servers: entries.servers,
    rules: allRules,
    parts: [...parts.keys()],
    packages: code?.packages ?? [],
    hasComputedImports: code?.hasComputedImports ?? false,
    // A rule that cannot be read would disable more tools than intended.
    problems: [...(isRun ? addition.problems : problems), ...findRuleProblems(allRules, project)],
    sources,
  }
}

/** Finds the file among those of the current folder, of the folder of the file, and of the folder above that one. */
export async function findTrustFile(
  path: string,
  environment: TrustEnvironment,
  runsApproved: boolean,
): Promise<TrustFile | undefined> {
  const real = realFiles.realPath(path)
  for (const cwd of new Set([environment.cwd, dirname(path), dirname(dirname(path))])) {
    const found = (await trustFiles({ ...environment, cwd }, runsApproved)).find(({ realPath }) => realPath === real)
    if (found !== undefined) return found
  }
  return undefined
}
