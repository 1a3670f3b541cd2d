// Variables that the servers of a client refer to: no client asks for them any more, the gateway has to have them.

import { pathText } from '../../config/problem.ts'
import { parseTemplate } from '../../config/references.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import { readVariable } from '../../core/variables.ts'
import type { Environment } from '../environment.ts'
import type { Output } from '../output/output.ts'
import { columns, columnsOf, oneLine, shortPath, wrap } from '../output/text.ts'
import { readSecrets, secretsFile } from '../secrets-file.ts'
import { textsOf } from '../unset-variables.ts'

export interface NeededVariable {
  readonly name: string
  readonly server: string
  /** Where the server refers to it: `env.TOKEN`. */
  readonly field: string
  /** For this process: a client may be started without it. */
  readonly set: boolean
  /** There is a default. */
  readonly optional: boolean
}

/** As the client has them, before secrets become references; what secrets.env holds is there for every start. */
export function neededVariables(servers: readonly ServerConfig[], environment: Environment): readonly NeededVariable[] {
  const kept = readSecrets(secretsFile(environment), environment.platform)
  return servers
    .filter(({ enabled }) => enabled)
    .flatMap(({ name: server, connection }) =>
      textsOf(connection).flatMap(({ field, text }) =>
        parseTemplate(text).flatMap((part) => {
          if (typeof part === 'string' || readVariable(kept, part.name, environment.platform) !== undefined) return []
          const { name, fallback } = part
          const set = (readVariable(environment.env, name, environment.platform) ?? '') !== ''
          return [{ name, server, field: pathText(field), set, optional: fallback !== undefined }]
        }),
      ),
    )
}

export function neededLines(
  needed: readonly NeededVariable[],
  environment: Environment,
  { paint, width }: Output,
): readonly string[] {
  if (needed.length === 0) return []
  const rows = needed.map(({ name, server, field, set, optional }) => [
    `  ${name}`,
    `${oneLine(server)} ${field}`,
    set ? paint.dim('set here') : optional ? paint.dim('not set, has a default') : paint.yellow('not set'),
  ])
  const file = shortPath(secretsFile(environment), environment.home)
  return [
    '',
    ...wrap('Variables that the gateway reads from its own environment; the client does not ask for them:', width),
    ...fitting(rows, width),
    ...wrap(
      `Add NAME=value lines to ${file} (readable by you alone: chmod 600), or export them where the client is started, if it passes on what it has.`,
      width,
    ),
  ]
}

/** Under each other where there is room, else each as a line that is broken. */
function fitting(rows: readonly (readonly string[])[], width: number): readonly string[] {
  const lines = columns(rows)
  if (lines.every((line) => columnsOf(line) <= width)) return lines
  return rows.flatMap((row) => wrap(row.join(' ').trim(), width, '  '))
}
