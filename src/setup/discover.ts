// Reads the servers of the clients on this machine, file by file.

import { realFiles } from '../config/config-files.ts'
import { importers } from '../config/imports/builtins.ts'
import type { ImportScope } from '../config/imports/importer.ts'
import { type ApprovableSource, importSources, type SourceReport } from '../config/load/import-sources.ts'
import type { ImportResult } from '../config/server-entry.ts'
import { readApprovals } from './approvals.ts'
import type { Environment } from './environment.ts'

export interface FoundClient extends ImportResult {
  readonly client: string
  readonly path: string
  readonly scope: ImportScope
  readonly state: SourceReport['state']
  /** Whether the user has approved this version of a project's file. True for a file of the user. */
  readonly isApproved: boolean
  /** The file as an approval would record it; undefined for a file of the user. */
  readonly approvable: ApprovableSource | undefined
}

interface DiscoverOptions {
  /** Only these clients. Default: all. */
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
      needsApproval: one === 'project',
    })),
  )
  const approved = await readApprovals(environment.stateDir)
  const imported = await importSources(requests, { ...environment, files: realFiles, approved })
  return imported.map(({ report, result, approvable }): FoundClient => {
    const { type: client, path, scope: found, state } = report
    const { servers, rules, problems } = approvable?.result ?? result
    const isApproved = found === 'user' || approvable?.state === 'approved'
    return { client, path, scope: found, state, servers, rules, problems, isApproved, approvable }
  })
}
