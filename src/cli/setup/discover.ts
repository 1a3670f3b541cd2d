// What the clients on this machine have configured, file by file.

import { realFiles } from '../../config/config-files.ts'
import { importSources, type SourceReport, sha256Of } from '../../config/import-sources.ts'
import { importers } from '../../config/imports/builtins.ts'
import type { ImportResult, ImportScope } from '../../config/imports/importer.ts'
import { readApprovals } from '../approvals.ts'
import type { Environment } from '../environment.ts'

export interface FoundClient extends ImportResult {
  readonly client: string
  readonly path: string
  readonly scope: ImportScope
  readonly state: SourceReport['state']
  /** Of a project's file: the user has allowed it as it is. */
  readonly isApproved: boolean
  readonly sha256: string
}

export interface DiscoverOptions {
  /** Only these; left out: all. */
  readonly clients?: readonly string[] | undefined
  readonly scope?: ImportScope | undefined
}

export async function discoverClients(
  environment: Environment,
  options: DiscoverOptions = {},
): Promise<readonly FoundClient[]> {
  const { clients, scope } = options
  const wanted = [...importers.values()].filter(({ name }) => clients === undefined || clients.includes(name))
  const scopes: readonly ImportScope[] = scope === undefined ? ['user', 'project'] : [scope]
  const requests = scopes.flatMap((one) =>
    wanted.map((importer) => ({
      importer,
      files: importer.paths(environment).filter((file) => file.scope === one),
      isNamed: false,
      needsApproval: false,
    })),
  )
  const { cwd, home, platform, stateDir } = environment
  const { results, reports } = await importSources(requests, { cwd, home, platform, files: realFiles, approved: [] })
  const approvals = await readApprovals(stateDir)
  return Promise.all(
    reports.map(async ({ type, path, scope: found, state }, at): Promise<FoundClient> => {
      const { servers, rules, problems } = results[at] ?? { servers: [], rules: [], problems: [] }
      const sha256 = sha256Of(await realFiles.readText(path).catch(() => ''))
      const isApproved = found === 'user' || approvals.some((one) => one.path === path && one.sha256 === sha256)
      return { client: type, path, scope: found, state, servers, rules, problems, isApproved, sha256 }
    }),
  )
}
