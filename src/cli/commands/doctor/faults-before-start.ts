// Finds faults of a server without starting it: a missing program, a missing folder or an unset variable.

import { access, constants, stat } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import { resolveConnection } from '../../../config/connection-kinds.ts'
import { RefusedVariables } from '../../../config/loader-variables.ts'
import { prepareConnection } from '../../../config/prepare-connection.ts'
import { pathText } from '../../../config/problem.ts'
import { type Connection, programIn, type ServerConfig, type StdioConnection } from '../../../config/server-config.ts'
import { quoteList } from '../../../core/text.ts'
import type { Environment } from '../../../setup/environment.ts'
import { environmentFor } from '../../../sources/upstream/environment.ts'
import { findProgram } from '../../../sources/upstream/windows/find-program.ts'
import { describeUnset, howToSet, unsetVariables } from '../../gateway/unset-variables.ts'
import { capitalize, shortPath } from '../../output/text.ts'

export interface Fault {
  readonly what: string
  readonly todo: string
}

export async function faultsBeforeStart(
  { name, connection, origin }: ServerConfig,
  environment: Environment,
): Promise<readonly Fault[]> {
  const { home } = environment
  const inFile = origin.path === undefined ? '' : ` (${origin.path.replaceAll(`${home}/`, '~/')})`
  const where = `${shortPath(origin.file, home)}${inFile}`
  const resolved = resolveConnection(connection, environment.env)
  if (!resolved.ok) {
    const { missing } = resolved
    const isOfClient = origin.source !== 'config' && origin.source !== 'project'
    // The name is not in the file of a client that asks for the value: VS Code writes `${input:linear-key}`.
    const fields = unsetVariables(connection, environment.env).map(({ field }) => pathText(field))
    const needed = isOfClient && fields.length > 0 ? `; ${quoteList([...new Set(fields)])} in ${where} needs it` : ''
    return [
      {
        what: `${describeUnset(missing) ?? ''}${needed}`,
        todo: `${capitalize(howToSet(missing, environment))}.`,
      },
    ]
  }
  const program = programIn(resolved.connection)
  if (program === undefined) return []
  const { command, cwd, envFile } = program
  const faults: Fault[] = []
  if (cwd !== undefined && !(await isFolder(cwd))) {
    faults.push({
      what: `its folder ${shortPath(cwd, home)} does not exist`,
      todo: `Correct 'cwd' of '${name}' in ${where}.`,
    })
  }
  if (envFile !== undefined && !(await isReadable(envFile))) {
    faults.push({
      what: `its env file ${shortPath(envFile, home)} cannot be read`,
      todo: `Correct 'envFile' of '${name}' in ${where}.`,
    })
  }
  const refused = await refusedIn(connection, environment)
  if (refused.length > 0) {
    const list = refused.map((one) => `'${one}'`).join(', ')
    faults.push({
      what: `its config sets ${quoteList(refused)}, which can make a program run other code`,
      todo: `Remove it from ${where}, or add \`allowEnv: [${list}]\` there or to your config.`,
    })
  }
  if (!(await isProgram(command, program, environment))) {
    faults.push({
      what: `the program '${command}' was not found`,
      todo: `Install it, or correct 'command' of '${name}' in ${where}.`,
    })
  }
  return faults
}

/** The variables that are refused, in `env` or in the env file. */
async function refusedIn(connection: Connection, { env }: Environment): Promise<readonly string[]> {
  try {
    await prepareConnection(connection, env)
    return []
  } catch (error) {
    return error instanceof RefusedVariables ? error.refused : []
  }
}

async function isProgram(
  command: string,
  connection: StdioConnection,
  { ownEnv, platform, cwd }: Environment,
): Promise<boolean> {
  const { values: own } = environmentFor(connection.env, { env: ownEnv, inherit: connection.inheritEnv }, platform)
  const folder = connection.cwd ?? cwd
  if (platform === 'win32') return (await findProgram(command, { env: own, cwd: folder })) !== undefined
  const folders = command.includes('/') ? [''] : (own.PATH ?? '').split(delimiter)
  for (const one of folders) if (await isReadable(resolve(folder, one, command), constants.X_OK)) return true
  return false
}

function isReadable(file: string, mode = constants.R_OK): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  )
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
