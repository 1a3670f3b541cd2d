// Opens the file of a client that will be changed.

import { parseDocument } from '../config/document.ts'
import { importers } from '../config/imports/builtins.ts'
import type { ClientWriter, Importer } from '../config/imports/importer.ts'
import { type ConfigProblem, shapeOf } from '../config/problem.ts'
import { errorOf, raise, ToolcribError } from '../core/errors.ts'
import { quoteList } from '../core/text.ts'
import type { SetupJob } from './environment.ts'
import { type ClientDocument, openClient } from './files/write-client.ts'
import { backupsBeside, readIfThere } from './files/write-file.ts'
import { clientNames, unknownClientText } from './known-clients.ts'

export interface ClientFileToChange {
  readonly importer: Importer
  readonly writer: ClientWriter
  readonly file: string
  /** Empty if the file does not exist. */
  readonly text: string
  readonly document: ClientDocument
}

/** The file of a client that cannot be read. */
export class ClientFileError extends ToolcribError {
  readonly file: string
  /** The position of a syntax error, such as `line 1, column 3`. */
  readonly position: string | undefined

  constructor(file: string, { reason, todo }: { reason: string; todo: string }, position?: string) {
    super('CONFIG_UNWRITABLE', errorOf('CONFIG_UNWRITABLE', { file, reason, todo }))
    this.file = file
    this.position = position
  }
}

/** `command` is the name of our command in errors. `foldersOf` returns `folders` of `WriterContext` for a file. */
export async function openClientFile(
  { environment }: Pick<SetupJob, 'environment'>,
  client: string,
  { project = false }: { readonly project?: boolean },
  command: string,
  foldersOf: (file: string) => readonly string[] = () => [],
): Promise<ClientFileToChange> {
  const importer = importers.get(client)
  const writer = importer?.writer
  if (importer === undefined || writer === undefined) return unknownClient(client, command)
  const scope = project ? 'project' : 'user'
  const files = importer.paths(environment).filter((one) => one.scope === scope)
  // The only YAML file is the registry of Docker, which contains no entries of servers.
  const candidates = files.filter(({ path }) => !path.endsWith('.yaml'))
  const [first] = candidates
  if (first === undefined) {
    return raise('INVALID_ARGUMENTS', {
      reason: `${client} stores no servers ${project ? 'in a project; leave --project out' : 'for a user; use --project'}`,
      command: `toolcrib ${command}`,
    })
  }
  const open = async (file: string, text: string): Promise<ClientFileToChange> => {
    const document = await openClient(writer, text, file, { ...environment, folders: foldersOf(file) })
    return document === undefined ? unreadable(file, text, writer) : { importer, writer, file, text, document }
  }
  const opened: ClientFileToChange[] = []
  for (const { path } of candidates) {
    const text = await readIfThere(path)
    if (text !== undefined) opened.push(await open(path, text))
  }
  // Prefers the file with servers, then an existing file, then the default path.
  const withServers = opened.find(({ document }) => document.entries.length > 0)
  // VS Code keeps servers in mcp.json. Its older settings.json is used only if it has servers.
  const isForServers = ({ file }: ClientFileToChange) =>
    !file.endsWith('settings.json') || first.path.endsWith('settings.json')
  return withServers ?? opened.find(isForServers) ?? open(first.path, '')
}

function unknownClient(client: string, command: string): never {
  const notAClient = `'${client}' is a type of config file and not a client, so the gateway cannot be installed into it; the clients are ${quoteList(clientNames())}`
  return raise('INVALID_ARGUMENTS', {
    reason: importers.has(client) ? notAClient : unknownClientText(client),
    command: `toolcrib ${command}`,
  })
}

async function unreadable(file: string, text: string, { format }: ClientWriter): Promise<never> {
  const [backup] = await backupsBeside(file)
  const todo = 'Correct the file first, by hand or in the client.'
  const advice = backup === undefined ? todo : `${todo} The newest backup of it is ${backup}`
  const parsed = await parseDocument(text, format, file)
  if (parsed.ok) {
    const reason = `it should contain an object, but contains ${shapeOf(parsed.value)}`
    throw new ClientFileError(file, { reason, todo: advice })
  }
  const { expected, found } = parsed.problem
  const position = positionOf(parsed.problem)
  const reason = `it is not ${expected}: ${found}${position === undefined ? '' : ` (${position})`}`
  throw new ClientFileError(file, { reason, todo: advice }, position)
}

function positionOf({ line, column = 1 }: ConfigProblem): string | undefined {
  return line === undefined ? undefined : `line ${line}, column ${column}`
}
