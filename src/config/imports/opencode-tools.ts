// The tools that opencode turns off beside its servers: `tools: {"github_*": false}` and `permission: {"github_*": "deny"}`.

import { type ConfigProblem, inside, isRecord, type Place, problemAt, shapeOf } from '../problem.ts'
import type { ServerConfig, ToolRule } from '../server-config.ts'
import { disablingRule } from '../tool-lists.ts'
import type { DocumentRecord } from './importer.ts'

export interface ToolSwitches {
  rulesOf(server: ServerConfig): ToolRule[]
  readonly problems: readonly ConfigProblem[]
}

const MAX_GLOB_LENGTH = 200
const MAX_SWITCHES = 1_000

/**
 * Only what is turned off is carried over. What a longer glob or an agent turns on again stays off here: that can be
 * mended with a rule, and the other way round nobody would notice.
 */
export function readToolSwitches({ tools, permission }: DocumentRecord, place: Place): ToolSwitches {
  const problems: ConfigProblem[] = []
  const denied: string[] = []
  const read = (value: unknown, at: Place, isOn: (one: unknown) => boolean | undefined) => {
    if (value === undefined) return
    const switches = isRecord(value) ? Object.entries(value).slice(0, MAX_SWITCHES + 1) : [['*', value] as const]
    const isTooLong = switches.length > MAX_SWITCHES || switches.some(([glob]) => glob.length > MAX_GLOB_LENGTH)
    if (isTooLong) problems.push(problemAt(at, { expected: 'fewer or shorter switches', found: shapeOf(value) }))
    for (const [glob, state] of isTooLong ? [['*', false] as const] : switches) {
      const verdict = isOn(state)
      // What cannot be read may have been meant to turn it off.
      if (verdict !== true) denied.push(glob)
      const finding = { expected: 'a switch for tools', found: shapeOf(state) }
      if (verdict === undefined) problems.push(problemAt(isRecord(value) ? inside(at, glob) : at, finding))
    }
  }
  read(tools, inside(place, 'tools'), (one) => (typeof one === 'boolean' ? one : undefined))
  // An object decides by arguments, and only ever for part of the calls.
  read(permission, inside(place, 'permission'), (one) => {
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

/** What a glob over `server_tool` says about the tool alone: of `git*_list` and `github_`, `*_list` and `list`. */
function afterPrefix(glob: string, prefix: string): string[] {
  const withSkipped = (places: Iterable<number>) => {
    const all = new Set(places)
    for (const place of all) if (glob[place] === '*') all.add(place + 1)
    return all
  }
  let places = withSkipped([0])
  for (const letter of prefix) {
    if (places.size === 0) return []
    const next = [...places].flatMap((place) => {
      if (glob[place] === '*') return [place]
      return glob[place] === '?' || glob[place] === letter ? [place + 1] : []
    })
    places = withSkipped(next)
  }
  // After a star its rest is already said.
  const rests = [...places].filter((place) => !(glob[place - 1] === '*' && places.has(place - 1)))
  return rests.map((place) => glob.slice(place)).filter((rest) => rest !== '')
}
