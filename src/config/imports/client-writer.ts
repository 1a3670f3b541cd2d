// How a client writes servers into its own file: where, and in which shape.

import { findKey } from '../entries.ts'

/** How a client starts the gateway. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

/** Where the client is at work: some keep servers for each folder. */
export interface WriterPlace {
  readonly cwd: string
  readonly platform: NodeJS.Platform
}

export interface ClientWriter {
  readonly format: 'json' | 'toml'
  /** The keys that lead to servers, in a document that may have none yet. A new one goes to the first of them. */
  sections(
    document: Readonly<Record<string, unknown>>,
    place: WriterPlace,
  ): readonly [readonly string[], ...(readonly string[])[]]
  entry(launch: Launch): Readonly<Record<string, unknown>>
}

export const plainEntry: ClientWriter['entry'] = ({ command, args }) => ({ command, args })
export const typedEntry: ClientWriter['entry'] = ({ command, args }) => ({ type: 'stdio', command, args })

/** In a document of JSON, all servers under one key. */
export function jsonWriter(key: string, entry: ClientWriter['entry'] = plainEntry): ClientWriter {
  return { format: 'json', sections: (document) => [[findKey(document, key) ?? key]], entry }
}
