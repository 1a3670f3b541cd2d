// The public servers of servers.json: what is installed, how it is started, and which harmless call is compared.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { installPackage, scriptOf } from '../../bench/install-package.ts'

export const checks = ['start', 'list', 'search', 'details', 'call', 'restart'] as const
export type ServerCheck = (typeof checks)[number]

const callSchema = z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) })

const serverSchema = z.strictObject({
  name: z.string(),
  version: z.string(),
  /** The command of the package that starts the server, if the package has several. */
  command: z.string().optional(),
  /** `$HOME` in an argument, a variable or the call is the folder of the server. */
  args: z.array(z.string()).default([]),
  /** Additional variables, such as the address of an API. The value of an API key is the word `none`. */
  env: z.record(z.string(), z.string()).default({}),
  /** A call that changes nothing outside the folder of the server and needs no network. */
  call: callSchema,
  /** Parts of results that differ between two calls, such as times, as regular expressions. */
  varies: z.array(z.string()).default([]),
  /** The short form runs this server. */
  short: z.boolean().default(false),
  /** A part of the command line of its process, if the process changes it. */
  title: z.string().optional(),
  /** Known differences. If one does not occur, or does not match its regular expression, the check fails. */
  differs: z.partialRecord(z.enum(checks), z.strictObject({ matches: z.string(), reason: z.string() })).default({}),
})

export type ListedServer = z.output<typeof serverSchema>

/** A server that is installed, with a folder that is its home and its current folder. */
export interface WildServer extends ListedServer {
  /** Its name in the config of the gateway. */
  readonly alias: string
  /** The folder that contains its `node_modules`; a part of the command line of its process. */
  readonly installed: string
  readonly program: {
    readonly command: string
    readonly args: readonly string[]
    readonly cwd: string
    readonly env: Readonly<Record<string, string>>
  }
}

export function readServers(file: string): readonly ListedServer[] {
  return z.array(serverSchema).parse(JSON.parse(readFileSync(file, 'utf8')))
}

/** `homes` is a folder for the homes of all servers. */
export async function prepareServer(listed: ListedServer, homes: string): Promise<WildServer> {
  const installed = await installPackage(listed, { cache: 'toolcrib-wild' })
  const alias = listed.name.replace('@', '').replaceAll('/', '-')
  const home = join(homes, alias)
  mkdirSync(join(home, 'notes'), { recursive: true })
  writeFileSync(join(home, 'notes', 'hello.md'), '# Hello\n\nA note about [[cheese]].\n')
  const inHome = (text: string) => text.replaceAll('$HOME', home)
  return {
    ...listed,
    alias,
    installed,
    call: { ...listed.call, arguments: JSON.parse(inHome(JSON.stringify(listed.call.arguments))) },
    program: {
      command: process.execPath,
      args: [scriptOf(installed, listed, listed.command), ...listed.args.map(inHome)],
      cwd: home,
      env: {
        HOME: home,
        XDG_CACHE_HOME: join(home, '.cache'),
        XDG_CONFIG_HOME: join(home, '.config'),
        XDG_DATA_HOME: join(home, '.local'),
        ...Object.fromEntries(Object.entries(listed.env).map(([name, value]) => [name, inHome(value)])),
      },
    },
  }
}

/** The version of the official SDK that the server uses; undefined if it does not use the SDK, or bundles it. */
export function sdkVersionOf({ installed }: WildServer): string | undefined {
  try {
    const manifest = join(installed, 'node_modules', '@modelcontextprotocol', 'sdk', 'package.json')
    return JSON.parse(readFileSync(manifest, 'utf8')).version
  } catch {
    return undefined
  }
}
