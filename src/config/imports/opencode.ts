// Imports the servers of opencode from `mcp` in opencode.json or opencode.jsonc, and the tools that it disables.

import { z } from 'zod'
import { isRecord } from '../../core/is-record.ts'
import { braceDialect } from '../dialect.ts'
import { ignoredKeys, textRecord, texts } from '../entries.ts'
import { pathOn, xdgConfigFolder } from '../paths.ts'
import { type ConfigLocation, type ConfigProblem, inside, problemAt, shapeOf } from '../problem.ts'
import type { ServerConfig, ToolRule } from '../server-config.ts'
import { disablingRule } from '../tool-lists.ts'
import { type DocumentPlan, type DocumentRecord, defineImporter, jsonWriter, sectionOf } from './importer.ts'

const schema = z.strictObject({
  type: z.string().optional(),
  command: z.union([z.string(), texts]).optional(),
  args: texts.optional(),
  environment: textRecord.optional(),
  cwd: z.string().optional(),
  url: z.string().optional(),
  headers: textRecord.optional(),
  enabled: z.boolean().optional(),
  ...ignoredKeys('timeout', 'oauth'),
})

export const opencode = defineImporter({
  name: 'opencode',
  paths(environment) {
    const { join } = pathOn(environment.platform)
    const names = ['opencode.json', 'opencode.jsonc']
    return [
      ...names.map((name) => ({ path: join(xdgConfigFolder(environment), 'opencode', name), scope: 'user' as const })),
      ...names.map((name) => ({ path: join(environment.cwd, name), scope: 'project' as const })),
    ]
  },
  plan: (document, _, location) => ({
    sections: sectionOf(document, 'mcp'),
    ...readToolSwitches(document, location),
  }),
  entry: {
    schema,
    fields(entry) {
      const { command = [], args = [], environment: env, ...common } = entry
      const [program, ...rest] = typeof command === 'string' ? [command] : command
      const keys = { env: ['environment'], args: ['command'] }
      return { ...common, command: program, args: [...rest, ...args], env, keys }
    },
  },
  dialect: () => braceDialect,
  writer: jsonWriter('mcp', ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true })),
})

const MAX_GLOB_LENGTH = 200
const MAX_SWITCHES = 1_000
const LIMITS = `at most ${MAX_SWITCHES} globs of at most ${MAX_GLOB_LENGTH} characters`

/**
 * Reads which tools opencode disables: `tools: {"github_*": false}` and `permission: {"github_*": "deny"}`. Only
 * the settings that disable tools are imported. A tool that a longer glob or an agent enables again stays disabled here.
 * The user can correct that with a rule, but would not notice a tool that is enabled by mistake.
 */
function readToolSwitches(
  { tools, permission }: DocumentRecord,
  location: ConfigLocation,
): Pick<DocumentPlan, 'rulesOf' | 'problems'> {
  const problems: ConfigProblem[] = []
  const denied: string[] = []
  const read = (value: unknown, at: ConfigLocation, expected: string, isOn: (one: unknown) => boolean | undefined) => {
    if (value === undefined) return
    const switches = isRecord(value) ? Object.entries(value).slice(0, MAX_SWITCHES + 1) : [['*', value] as const]
    const isTooLong = switches.length > MAX_SWITCHES || switches.some(([glob]) => glob.length > MAX_GLOB_LENGTH)
    if (isTooLong) problems.push(problemAt(at, { expected: LIMITS, found: 'more or longer globs' }))
    for (const [glob, state] of isTooLong ? [['*', false] as const] : switches) {
      const isEnabled = isOn(state)
      // A value that cannot be read may have been meant to disable the tool.
      if (isEnabled !== true) denied.push(glob)
      const finding = { expected, found: shapeOf(state) }
      if (isEnabled === undefined) problems.push(problemAt(isRecord(value) ? inside(at, glob) : at, finding))
    }
  }
  read(tools, inside(location, 'tools'), 'true or false', (one) => (typeof one === 'boolean' ? one : undefined))
  // An object allows or denies calls by their arguments, so the tool itself stays enabled.
  read(permission, inside(location, 'permission'), "'allow', 'ask' or 'deny'", (one) => {
    if (typeof one === 'string') return one !== 'deny'
    return one === false ? false : isRecord(one) || undefined
  })
  return { rulesOf: (server) => rulesFor(server, denied), problems }
}

function rulesFor({ name, origin }: ServerConfig, denied: readonly string[]): ToolRule[] {
  const prefix = `${name.replaceAll(/[^\w-]/g, '_')}_`
  const pattern = [...new Set(denied.flatMap((glob) => afterPrefix(glob, prefix)))]
  return pattern.length === 0 ? [] : [disablingRule(name, pattern, origin)]
}

/**
 * Turns a glob for `server_tool` into globs for the name of the tool alone: for the prefix `github_`, `git*_list`
 * becomes `*_list` and `list`.
 */
function afterPrefix(glob: string, prefix: string): string[] {
  /** Adds the positions after a star, because a star can match nothing. */
  const withSkipped = (positions: Iterable<number>) => {
    const all = new Set(positions)
    for (const at of all) if (glob[at] === '*') all.add(at + 1)
    return all
  }
  // The positions in the glob at which the rest can start, after the letters of the prefix so far.
  let positions = withSkipped([0])
  for (const letter of prefix) {
    if (positions.size === 0) return []
    const next = [...positions].flatMap((at) => {
      if (glob[at] === '*') return [at]
      return glob[at] === '?' || glob[at] === letter ? [at + 1] : []
    })
    positions = withSkipped(next)
  }
  // `*_list` matches everything that `_list` matches, so a position after a star is left out if the star is in the set.
  const starts = [...positions].filter((at) => !(glob[at - 1] === '*' && positions.has(at - 1)))
  return starts.map((at) => glob.slice(at)).filter((rest) => rest !== '')
}
