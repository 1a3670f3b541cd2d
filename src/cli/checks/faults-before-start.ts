// Finds faults of a server without starting it: an unset or refused variable, or a missing program, folder or env file.

import { access, constants, stat } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import { resolveConnection } from '../../config/connection-kinds.ts'
import { prepareConnection, RefusedVariables } from '../../config/prepare-connection.ts'
import { pathText } from '../../config/problem.ts'
import { type Connection, type ProgramConnection, programIn, type ServerConfig } from '../../config/server-config.ts'
import { quoteList } from '../../core/text.ts'
import type { Environment } from '../../setup/environment.ts'
import { environmentFor } from '../../sources/upstream/environment.ts'
import { findProgram } from '../../sources/upstream/windows/prepare-launch.ts'
import { describeUnset, howToSet, unsetVariables } from '../gateway/server-variables.ts'
import { capitalize, shortPath } from '../output/text.ts'

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
  const isOfClient = origin.source !== 'config' && origin.source !== 'project'
  const resolved = resolveConnection(connection, environment.env)
  if (!resolved.ok) {
    const { missing } = resolved
    // The file of a client need not contain the name of the variable: VS Code writes `${input:linear-key}`.
    const fields = [...new Set(unsetVariables(connection, environment.env).map(({ field }) => pathText(field)))]
    const refer = `${fields.length === 1 ? 'refers' : 'refer'} to ${missing.length === 1 ? 'it' : 'them'}`
    const neededBy = isOfClient && fields.length > 0 ? `; ${quoteList(fields)} in ${where} ${refer}` : ''
    const todo = `${capitalize(howToSet(missing, environment))}.`
    return [{ what: `${describeUnset(missing, environment) ?? ''}${neededBy}`, todo }]
  }
  const program = programIn(resolved.connection)
  if (program === undefined) return []
  const { command, cwd, envFile } = program
  const faults: Fault[] = []
  if (cwd !== undefined && !(await isFolder(cwd))) {
    faults.push({
      what: `its folder ${shortPath(cwd, home)} does not exist or is not a folder`,
      todo: `Correct 'cwd' of '${name}' in ${where}.`,
    })
  }
  if (envFile !== undefined && !(await isAccessible(envFile, constants.R_OK))) {
    faults.push({
      what: `its env file ${shortPath(envFile, home)} cannot be read`,
      todo: `Correct 'envFile' of '${name}' in ${where}.`,
    })
  }
  const refused = await refusedIn(connection, environment)
  if (refused.length > 0) {
    const list = refused.map((one) => `'${one}'`).join(', ')
    const ofFile = refused.filter((one) => !Object.hasOwn(program.env, one))
    const places = [
      ...(ofFile.length < refused.length ? [['config', where]] : []),
      ...(ofFile.length > 0 && envFile !== undefined ? [['env file', shortPath(envFile, home)]] : []),
    ]
    const [set, them] = [places.length === 1 ? 'sets' : 'set', refused.length === 1 ? 'it' : 'them']
    // A client's file cannot contain `allowEnv`.
    const allowIn = isOfClient ? 'your config' : `'${name}' in ${where}`
    faults.push({
      what: `its ${places.map(([kind]) => kind).join(' and its ')} ${set} ${quoteList(refused)}, which can make a program run other code`,
      todo: `Remove ${them} from ${places.map(([, file]) => file).join(' and ')}, or add \`allowEnv: [${list}]\` to ${allowIn}.`,
    })
  }
  if (!(await isProgram(command, program, environment))) {
    faults.push({
      what: `the command '${command}' was not found`,
      todo: `Install it, or correct 'command' of '${name}' in ${where}.`,
    })
  }
  return faults
}

/** The names of the variables in `env` or in the env file that are refused. */
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
  connection: ProgramConnection,
  { ownEnv, platform, cwd }: Environment,
): Promise<boolean> {
  const { values } = environmentFor(connection.env, { env: ownEnv, inherit: connection.inheritEnv }, platform)
  const folder = connection.cwd ?? cwd
  if (platform === 'win32') return (await findProgram(command, { env: values, cwd: folder })) !== undefined
  const folders = command.includes('/') ? [''] : (values.PATH ?? '').split(delimiter)
  for (const one of folders) if (await isAccessible(resolve(folder, one, command), constants.X_OK)) return true
  return false
}

function isAccessible(file: string, mode: number): Promise<boolean> {
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
