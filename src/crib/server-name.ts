// Derives a name for a server from its connection.

import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Connection, type ProgramConnection, programIn, remoteIn } from '../config/server-config.ts'
import { isRecord } from '../core/is-record.ts'
import { parseJson } from '../core/json.ts'

/** Programs that run the script, package or image in their arguments. */
const RUNNER = /^(?:bunx?|deno|docker|node|np[mx]|pnpm|podman|python[\d.]*|tsx|uvx?|yarn)$/
/** Options of these programs that take a value. */
const VALUE_OPTION =
  /^(?:-[eprvwC]|--(?:add-host|config|cwd|directory|entrypoint|env|env-file|from|import|loader|mount|name|network|package|platform|project|pull|python|require|user|volume|with|workdir))$/
/** Subcommands of these programs. */
const SUBCOMMAND = /^(?:dlx|exec|run|tool|x)$/
/** Common names of files and folders that do not identify a project. */
const COMMON_FILE = /^(?:__main__|app|bin|cli|index|main|mcp|run|server|start|stdio)$/
const COMMON_FOLDER = /^(?:bin|build|cjs|dist|esm|lib|out|src)$/

/**
 * `npx -y @scope/my-server@2 /tmp` gives `my-server`, and so does `node my-server/dist/index.js`, unless the
 * `package.json` of the script has another name.
 */
export async function nameFrom(connection: Connection): Promise<string> {
  const program = programIn(connection)
  if (program === undefined) return hostIn(remoteIn(connection)?.url ?? '')
  const target = targetOf(program)
  const name = lastSegment(target)
  if (!COMMON_FILE.test(name)) return name || 'server'
  return (await folderName(dirname(resolve(program.cwd ?? '.', target)))) || name
}

function hostIn(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : 'server'
}

/** The script, package or image that the command runs. */
function targetOf({ command, args }: ProgramConnection): string {
  if (!RUNNER.test(lastSegment(command))) return command
  const found = args.find(
    (arg, at) => !arg.startsWith('-') && !SUBCOMMAND.test(arg) && !VALUE_OPTION.test(args[at - 1] ?? ''),
  )
  return found ?? command
}

/** The last segment of a path or package, without registry, extension and version. */
function lastSegment(target: string): string {
  // Deno writes the registry before the name of the package.
  const withoutRegistry = target.replace(/^(?:npm|jsr):/, '')
  const last = withoutRegistry.split(/[\\/]/).at(-1) ?? ''
  return last.replace(/\.(?:[cm]?[jt]s|py|exe|cmd)$/i, '').replace(/(?<=.)[@:].*$/, '')
}

/** The name of the package in the folder, else the name of the folder. Folders with common names are skipped. */
async function folderName(folder: string): Promise<string> {
  const name = basename(folder)
  const fromPackage = await packageName(folder)
  if (fromPackage !== undefined) return fromPackage
  return COMMON_FOLDER.test(name) ? folderName(dirname(folder)) : name
}

async function packageName(folder: string): Promise<string | undefined> {
  const manifest = parseJson(await readFile(join(folder, 'package.json'), 'utf8').catch(() => ''))
  const { name } = isRecord(manifest) ? manifest : {}
  return typeof name === 'string' && name !== '' ? lastSegment(name) : undefined
}
