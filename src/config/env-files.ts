// Reads the env files that servers of a project use. An approval covers their text, and only that text is used.

import { resolve } from 'node:path'
import { sha256Of } from './approval.ts'
import type { ConfigFiles, FileRefusal } from './config-files.ts'
import { type ConfigProblem, problemAtOrigin } from './problem.ts'
import { hasReferences, resolveText } from './references.ts'
import { programIn, type ServerConfig } from './server-config.ts'

interface ReadEnvFiles {
  /** All servers except those with a reference in the path of their env file. */
  readonly servers: readonly ServerConfig[]
  /** The texts by path. Undefined for a file that cannot be read. */
  readonly parts: ReadonlyMap<string, string | undefined>
  readonly problems: readonly ConfigProblem[]
  readonly refusal?: FileRefusal
}

/** A value that no hash equals: a file that cannot be read now must not be used when it appears later. */
const NO_TEXT = 'absent'

export async function readEnvFiles(
  servers: readonly ServerConfig[],
  { files, cwd }: { readonly files: ConfigFiles; readonly cwd: string },
): Promise<ReadEnvFiles> {
  const parts = new Map<string, string | undefined>()
  const problems: ConfigProblem[] = []
  const usable: ServerConfig[] = []
  let refusal: FileRefusal | undefined
  for (const server of servers) {
    const { connection, name } = server
    const program = programIn(connection)
    if (program?.envFile === undefined) {
      usable.push(server)
      continue
    }
    if (hasReferences(program.envFile)) {
      const message = `The path of the env file of '${name}' contains a reference, so the file cannot be approved. Write the path without references`
      problems.push(envFileProblem(server, message))
      continue
    }
    const literal = resolveText(program.envFile, {})
    const path = resolve(cwd, literal.ok ? literal.text : program.envFile)
    const read = parts.has(path) ? undefined : await files.readGuarded(path).catch(() => undefined)
    if (!parts.has(path)) parts.set(path, read?.text)
    refusal ??= read?.refusal
    const text = parts.get(path)
    const envFileSha256 = text === undefined ? NO_TEXT : sha256Of(text)
    usable.push({ ...server, connection: { ...program, envFileSha256 } })
  }
  return { servers: usable, parts, problems, ...(refusal === undefined ? {} : { refusal }) }
}

export function envFileProblem({ origin }: ServerConfig, message: string): ConfigProblem {
  const expected = 'an env file that is approved together with this file'
  return problemAtOrigin(origin, { expected, found: 'another env file', message })
}
