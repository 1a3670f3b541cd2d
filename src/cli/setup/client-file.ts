// The file of a client that is to be changed, and what stands in it.

import { importers } from '../../config/imports/builtins.ts'
import type { ClientWriter } from '../../config/imports/client-writer.ts'
import type { Importer } from '../../config/imports/importer.ts'
import { type ClientDocument, openClient } from '../../config/write-client.ts'
import { readIfThere } from '../../config/write-file.ts'
import { raise } from '../../core/errors.ts'
import { findSimilarTools } from '../../core/similarity.ts'
import { quoteList } from '../../core/text.ts'
import { shortPath } from '../output/text.ts'
import type { Work } from '../work.ts'
import type { InstallFlags } from './flags.ts'

export interface ClientFileToChange {
  readonly importer: Importer
  readonly writer: ClientWriter
  readonly file: string
  /** Empty where there is none yet. */
  readonly text: string
  readonly document: ClientDocument
}

export async function openClientFile(
  { environment }: Work,
  client: string,
  { project = false }: InstallFlags,
  command: string,
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
      reason: `${client} keeps no servers ${project ? 'in a project; leave --project out' : 'for a user; use --project'}`,
      command: `toolcrib ${command}`,
    })
  }
  const opened: ClientFileToChange[] = []
  for (const { path } of ofFormat) {
    const text = await readIfThere(path)
    if (text === undefined) continue
    const document = await openClient(writer, text, path, environment)
    if (document === undefined) return unreadable(shortPath(path, environment.home))
    opened.push({ importer, writer, file: path, text, document })
  }
  // Where the servers are; else the file there is; else the one there should be.
  const hasServers = opened.find(({ document }) => document.entries.length > 0)
  const isOwnFile = ({ file }: ClientFileToChange) =>
    !file.endsWith('settings.json') || first.path.endsWith('settings.json')
  const found = hasServers ?? opened.find(isOwnFile)
  if (found !== undefined) return found
  const document = await openClient(writer, '', first.path, environment)
  return document === undefined ? unreadable(first.path) : { importer, writer, file: first.path, text: '', document }
}

/** Of the clients that the gateway can be put into. */
export function clientNames(): readonly string[] {
  return [...importers.values()].filter(({ writer }) => writer !== undefined).map(({ name }) => name)
}

function unknownClient(client: string, command: string): never {
  const names = clientNames()
  const [similar] = findSimilarTools(client, names)
  const hint = similar === undefined ? `there are ${quoteList(names)}` : `did you mean '${similar}'?`
  const none = `'${client}' is the type of any file that a config names as a source, with no client behind it to put the gateway into; the clients are ${quoteList(names)}`
  return raise('INVALID_ARGUMENTS', {
    reason: importers.has(client) ? none : `No client is called '${client}'; ${hint}`,
    command: `toolcrib ${command}`,
  })
}

function unreadable(file: string): never {
  return raise('CONFIG_UNWRITABLE', {
    file,
    reason: 'it cannot be read, so it cannot be changed safely',
    todo: 'Correct it in the client first.',
  })
}
