// Opens the file of a client that will be changed.

import { parseDocument } from '../config/document.ts'
import { importers } from '../config/imports/builtins.ts'
import type { ClientWriter } from '../config/imports/client-writer.ts'
import type { Importer } from '../config/imports/importer.ts'
import { type ConfigProblem, shapeOf } from '../config/problem.ts'
import { raise } from '../core/errors.ts'
import { quoteList } from '../core/text.ts'
import type { SetupJob } from './environment.ts'
import { type ClientDocument, openClient } from './files/write-client.ts'
import { readIfThere } from './files/write-file.ts'
import { clientNames, unknownClientText } from './known-clients.ts'

export interface ClientFileToChange {
  readonly importer: Importer
  readonly writer: ClientWriter
  readonly file: string
  /** Empty if the file does not exist. */
  readonly text: string
  readonly document: ClientDocument
}

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
  const ofFormat = files.filter(({ path }) => !path.endsWith('.yaml'))
  const [first] = ofFormat
  if (first === undefined) {
    return raise('INVALID_ARGUMENTS', {
      reason: `${client} stores no servers ${project ? 'in a project; leave --project out' : 'for a user; use --project'}`,
      command: `toolcrib ${command}`,
    })
  }
  const opened: ClientFileToChange[] = []
  for (const { path } of ofFormat) {
    const text = await readIfThere(path)
    if (text === undefined) continue
    const document = await openClient(writer, text, path, { ...environment, folders: foldersOf(path) })
    if (document === undefined) return unreadable(path, text, writer)
    opened.push({ importer, writer, file: path, text, document })
  }
  // Prefers the file with servers, then an existing file, then the default path.
  const hasServers = opened.find(({ document }) => document.entries.length > 0)
  const isOwnFile = ({ file }: ClientFileToChange) =>
    !file.endsWith('settings.json') || first.path.endsWith('settings.json')
  const found = hasServers ?? opened.find(isOwnFile)
  if (found !== undefined) return found
  const document = await openClient(writer, '', first.path, environment)
  return document === undefined
    ? unreadable(first.path, '', writer)
    : { importer, writer, file: first.path, text: '', document }
}

function unknownClient(client: string, command: string): never {
  const none = `'${client}' is a type of config file and not a client, so the gateway cannot be installed into it; the clients are ${quoteList(clientNames())}`
  return raise('INVALID_ARGUMENTS', {
    reason: importers.has(client) ? none : unknownClientText(client),
    command: `toolcrib ${command}`,
  })
}

async function unreadable(file: string, text: string, { format }: ClientWriter): Promise<never> {
  const parsed = await parseDocument(text, format, file)
  return raise('CONFIG_UNWRITABLE', {
    file,
    reason: parsed.ok ? `it should contain an object, but contains ${shapeOf(parsed.value)}` : inText(parsed.problem),
    todo: 'Correct the file first, by hand or in the client.',
  })
}

function inText({ message, line, column }: ConfigProblem): string {
  const text = message.replace(/^N/, 'n')
  return line === undefined ? text : `${text} (line ${line}, column ${column ?? 1})`
}
