// Lists the variables that a client's servers refer to. The client asked the user for them; the gateway does not ask.

import { textsOf } from '../../config/connection-kinds.ts'
import { pathText } from '../../config/problem.ts'
import { parseTemplate } from '../../config/references.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import { readVariable } from '../../core/variables.ts'
import type { Environment } from '../../setup/environment.ts'
import { readSecrets, secretsFile } from '../../setup/secrets-file.ts'
import type { Output } from '../output/output.ts'
import { columns, columnsOf, oneLine, shortPath, wrap } from '../output/text.ts'

interface NeededVariable {
  readonly name: string
  readonly server: string
  /** The field that refers to it, such as `env.TOKEN`. */
  readonly field: string
  /** Whether it is set for this process. A client may start the gateway without it. */
  readonly set: boolean
  /** True if the reference has a default. */
  readonly optional: boolean
}

/** `servers` have the references of the client's file. Skips the variables in secrets.env, which every start reads. */
export function neededVariables(servers: readonly ServerConfig[], environment: Environment): readonly NeededVariable[] {
  const stored = readSecrets(secretsFile(environment), environment.platform)
  return servers
    .filter(({ enabled }) => enabled)
    .flatMap(({ name: server, connection }) =>
      textsOf(connection).flatMap(({ field, text }) =>
        parseTemplate(text).flatMap((part) => {
          if (typeof part === 'string' || readVariable(stored, part.name, environment.platform) !== undefined) return []
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
    ...wrap('These variables must be set for the gateway; the client no longer asks for them:', width),
    ...fitRows(rows, width),
    ...wrap(
      `Add NAME=value lines to ${file} (readable only by you: chmod 600), or export them before the client starts.`,
      width,
    ),
  ]
}

/** In columns if they fit, otherwise one wrapped line per row. */
function fitRows(rows: readonly (readonly string[])[], width: number): readonly string[] {
  const lines = columns(rows)
  if (lines.every((line) => columnsOf(line) <= width)) return lines
  return rows.flatMap((row) => wrap(row.join(' ').trim(), width, '  '))
}
