// Describes how a client stores servers in its own file: under which keys, and in which format.

import { findKey } from '../entries.ts'

/** The command with which a client starts the gateway. */
export interface Launch {
  /** The program. */
  readonly command: string
  /** Its arguments. */
  readonly args: readonly string[]
}

/** The current folder and platform. Some clients keep servers per folder. */
export interface WriterContext {
  /** The current folder. */
  readonly cwd: string
  /** `process.platform`. */
  readonly platform: NodeJS.Platform
  /** Other folders for which the same file contains servers. */
  readonly folders?: readonly string[] | undefined
}

export interface ClientWriter {
  /** The format of the file. */
  readonly format: 'json' | 'toml'
  /** The paths of the keys that contain servers. A key may not exist yet. A new server is added under the first one. */
  sections(
    document: Readonly<Record<string, unknown>>,
    context: WriterContext,
  ): readonly [readonly string[], ...(readonly string[])[]]
  /** Our entry in the format of the client. */
  entry(launch: Launch): Readonly<Record<string, unknown>>
}

export const plainEntry: ClientWriter['entry'] = ({ command, args }) => ({ command, args })
export const typedEntry: ClientWriter['entry'] = ({ command, args }) => ({ type: 'stdio', command, args })

/** A writer for a JSON document with all servers under one key. */
export function jsonWriter(key: string, entry: ClientWriter['entry'] = plainEntry): ClientWriter {
  return { format: 'json', sections: (document) => [[findKey(document, key) ?? key]], entry }
}
