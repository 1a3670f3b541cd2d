// What to call a server of which nothing is known but how it is reached.

import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Connection, StdioConnection } from '../config/server-config.ts'
import { isRecord } from '../core/schema.ts'

/** Programs that run what their arguments name. */
const RUNNER = /^(?:bunx?|deno|docker|node|np[mx]|pnpm|podman|python[\d.]*|tsx|uvx?|yarn)$/
/** Their options that take a value, and the words that say what they are to do. */
const VALUED =
  /^(?:-[eprvwC]|--(?:config|cwd|directory|env|env-file|from|import|loader|mount|name|network|package|platform|project|python|require|volume|with|workdir))$/
const VERB = /^(?:dlx|exec|run|tool|x)$/
/** Files and folders that are called the same in every project. */
const ANY_FILE = /^(?:__main__|app|bin|cli|index|main|mcp|run|server|start|stdio)$/
const ANY_FOLDER = /^(?:bin|build|cjs|dist|esm|lib|out|src)$/

/** `npx -y @scope/my-server@2 /tmp` is `my-server`; so is `node my-server/dist/index.js`. */
export async function nameFrom(connection: Connection): Promise<string> {
  if (connection.type !== 'stdio') return URL.canParse(connection.url) ? new URL(connection.url).hostname : 'server'
  const target = targetOf(connection)
  const name = plain(target)
  if (!ANY_FILE.test(name)) return name || 'server'
  return (await folderName(dirname(resolve(connection.cwd ?? '.', target)))) || name
}

/** What is run, by whichever program. */
function targetOf({ command, args }: StdioConnection): string {
  if (!RUNNER.test(plain(command))) return command
  const found = args.find((arg, at) => !arg.startsWith('-') && !VERB.test(arg) && !VALUED.test(args[at - 1] ?? ''))
  return found ?? command
}

/** A path or a package without what is around its name. */
function plain(target: string): string {
  const last = target.split(/[\\/]/).at(-1) ?? ''
  return last.replace(/\.(?:[cm]?[jt]s|py|exe|cmd)$/i, '').replace(/(?<=.)[@:].*$/, '')
}

/** That of the package it holds, else its own; folders that are called the same everywhere are passed over. */
async function folderName(folder: string): Promise<string> {
  const name = basename(folder)
  const said = await packageName(folder)
  if (said !== undefined) return said
  return ANY_FOLDER.test(name) ? folderName(dirname(folder)) : name
}

async function packageName(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    const { name } = isRecord(manifest) ? manifest : {}
    return typeof name === 'string' && name !== '' ? plain(name) : undefined
  } catch {
    return undefined
  }
}
