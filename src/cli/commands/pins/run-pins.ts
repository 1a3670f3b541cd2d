// Runs `toolcrib pins list`, `diff` and `approve` on the stored pins of the configured servers.

import type { ServerConfig } from '../../../config/server-config.ts'
import { storeOf } from '../../../config/store-setting.ts'
import { raise } from '../../../core/errors.ts'
import { findSimilarTools } from '../../../core/similarity.ts'
import { shellWord } from '../../../core/text.ts'
import { loadValid } from '../../../setup/load-config.ts'
import {
  approve,
  changedParts,
  changesHash,
  formLines,
  type PinRecord,
  pinsKey,
  readForm,
  readRecord,
  type ToolPin,
} from '../../../sources/upstream/pins/pin-record.ts'
import { storeOpener } from '../../../storage/open-stores.ts'
import { diffLines } from '../../config-changes/plan-lines.ts'
import { LIST_SERVERS } from '../../output/error-for-people.ts'
import { count, visible, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'

export async function listPins(work: Work): Promise<number> {
  const { output } = work
  await using pins = await openPins(work)
  const { pinning } = pins.loaded.config.discovery
  const { servers } = await pins.read()
  const listed = servers.map(({ server, record }) => ({
    server: server.name,
    pinned: record?.tools.filter((pin) => pin.pinned !== undefined).length ?? 0,
    changes: record?.tools.flatMap((pin) => changeOf(pin) ?? []) ?? [],
  }))
  output.show({ pinning, servers: listed }, () => {
    if (output.isQuiet) {
      return listed.flatMap(({ server, changes }) => changes.map(({ tool }) => visible(`${server}:${tool}`)))
    }
    const { paint, width } = output
    const blocks = listed.flatMap(({ server, pinned, changes }) => {
      const mark = changes.length > 0 ? paint.yellow('!') : pinned === 0 ? '?' : paint.green('✓')
      const state = pinned === 0 ? 'no tool is pinned' : `${count(pinned, 'tool')} pinned`
      return [
        '',
        `${mark} ${paint.bold(visible(server))} (${state})`,
        ...changes.flatMap((one) => changeLines(one, width)),
      ]
    })
    const changed = listed.filter(({ changes }) => changes.length > 0)
    const [first] = changed
    const next =
      first === undefined
        ? []
        : [
            '',
            ...wrap(
              output.keepConfig(
                `Next: \`toolcrib pins diff ${shellWord(visible(first.server))}\` shows what has changed, before you approve it.`,
              ),
              width,
            ),
          ]
    return [`Pins (${count(listed.length, 'server')}, pinning: ${pinning}):`, ...blocks, ...next]
  })
  return 0
}

function changeLines({ tool, change, parts = [], since }: PinChange, width: number): readonly string[] {
  const what = parts.length === 0 ? change : `${change}: ${parts.join(', ')}`
  return wrap(`${visible(tool)} (${what}, since ${since.slice(0, 16).replace('T', ' ')} UTC)`, width, '  ')
}

export async function diffPins(work: Work, only: string | undefined): Promise<number> {
  const { output } = work
  await using pins = await openPins(work)
  const { servers, tool } = await pins.read(only)
  const changes = servers.flatMap((one) => {
    requireTool(one, tool)
    const found = (one.record?.tools ?? []).filter(({ name }) => tool === undefined || name === tool)
    return found.flatMap((pin) => {
      const change = changeOf(pin)
      return change === undefined ? [] : [{ server: one.server.name, pin, change }]
    })
  })
  const document = changes.map(({ server, pin, change }) => ({
    server,
    ...change,
    approved: pin.pinned?.text === undefined ? null : readForm(pin.pinned.text),
    present: pin.seen?.text === undefined ? null : readForm(pin.seen.text),
  }))
  output.show({ changes: document }, () => {
    if (output.isQuiet) return changes.map(({ server, change }) => visible(`${server}:${change.tool}`))
    const { paint, width } = output
    if (changes.length === 0) return ['No tool has changed.']
    const blocks = changes.flatMap(({ server, pin, change: { tool: name, change, parts = [] } }, at) => [
      ...(at === 0 ? [] : ['']),
      `${paint.bold(visible(`${server}:${name}`))} (${[change, ...parts].join(', ')})`,
      ...formDiff(pin, paint),
    ])
    const first = changes[0]?.server ?? ''
    const record = servers.find((one) => one.server.name === first)?.record
    const form = record === undefined ? '' : ` --form ${changesHash(record, tool)}`
    const second = changes.find(({ server }) => server !== first)?.server
    const text = second === undefined ? 'this text' : `the text of '${visible(first)}'`
    const rest = second === undefined ? '' : ` Then run \`toolcrib pins diff ${shellWord(visible(second))}\`.`
    const next = `If you agree to ${text}, run \`toolcrib pins approve ${shellWord(visible(only ?? first))}${form}\`. If not, run \`toolcrib disable ${shellWord(visible(first))}\`.${rest}`
    return [...blocks, '', ...wrap(output.keepConfig(next), width)]
  })
  return 0
}

function formDiff({ pinned, seen }: ToolPin, paint: Parameters<typeof diffLines>[2]): readonly string[] {
  const isCut = seen?.text === undefined || (pinned !== undefined && pinned.text === undefined)
  if (isCut) return ['  (its text is too long to be kept; only its hash was compared)']
  return diffLines(formLines(pinned?.text), formLines(seen.text), paint, (line) => line)
}

/** `form` is the code that `pins diff` printed. If it is not the code of the present changes, nothing is approved. */
export async function approvePins(work: Work, only: string, form: string | undefined): Promise<number> {
  const { output } = work
  await using pins = await openPins(work)
  const { servers, tool } = await pins.read(only)
  const approved: string[] = []
  for (const one of servers) {
    requireTool(one, tool)
    if (one.record === undefined) continue
    const after = approve(one.record, tool)
    if (after.approved.length === 0) continue
    if (form !== undefined && form !== changesHash(one.record, tool)) {
      raise('INVALID_OPTIONS', {
        what: `--form '${visible(form)}'`,
        reason: `it is not the code of the present changes of '${visible(only)}'. They may have changed since \`toolcrib pins diff\` printed the code`,
        todo: `Nothing was approved. Run \`toolcrib pins diff ${shellWord(visible(only))}\` and read the text again.`,
      })
    }
    await pins.store.set(pinsKey(one.server), after.record)
    approved.push(...after.approved)
  }
  const [server] = servers
  output.show({ server: server?.server.name, approved }, () => {
    if (output.isQuiet) return approved.map(visible)
    if (approved.length === 0) return output.wrap(`Nothing to approve: ${nothingReason(server, tool)}.`)
    return approved.map((name) => `${output.paint.green('✓')} Approved ${visible(`${server?.server.name}:${name}`)}`)
  })
  return 0
}

function nothingReason(server: ServerRecord | undefined, tool: string | undefined): string {
  const name = visible(server?.server.name ?? '')
  if (tool !== undefined) return `'${name}:${visible(tool)}' does not differ from its pin`
  return server?.record === undefined ? `no tool of '${name}' is pinned` : `no tool of '${name}' differs from its pin`
}

interface ServerRecord {
  readonly server: ServerConfig
  /** Undefined if no tool of the server has been pinned. */
  readonly record: PinRecord | undefined
}

async function openPins(work: Work) {
  const { environment, output } = work
  const loaded = await loadValid(work)
  const { servers } = loaded
  const onProblem = ({ message }: { readonly message: string }) => output.note(message)
  const store = storeOpener(storeOf(loaded), environment, onProblem)('state')
  return {
    loaded,
    store,
    /** `only`: a server, or a server and a tool. Fails if the configuration has no such server. */
    async read(only?: string) {
      const named = only === undefined ? undefined : findNamed(only, servers)
      const chosen = named === undefined ? servers : [named.server]
      const records = chosen.map(async (server) => ({ server, record: readRecord(await store.get(pinsKey(server))) }))
      return { servers: await Promise.all(records), tool: named?.tool }
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

interface PinChange {
  readonly tool: string
  readonly change: 'changed' | 'new'
  readonly parts?: readonly string[]
  /** When the present form was first seen. */
  readonly since: string
}

/** Undefined if the tool has its approved form. */
function changeOf({ name, pinned, seen }: ToolPin): PinChange | undefined {
  if (seen === undefined) return undefined
  const since = new Date(seen.at).toISOString()
  if (pinned === undefined) return { tool: name, change: 'new', since }
  const hasTexts = pinned.text !== undefined && seen.text !== undefined
  const parts = hasTexts ? changedParts(readForm(pinned.text ?? ''), readForm(seen.text ?? '')) : []
  return { tool: name, change: 'changed', ...(parts.length === 0 ? {} : { parts }), since }
}

/** Finds `server`, `server/tool` or `server:tool`. If several server names match, the longest one is used. */
function findNamed(
  only: string,
  servers: readonly ServerConfig[],
): { readonly server: ServerConfig; readonly tool?: string } {
  const matching = servers.filter(
    ({ name }) => only === name || [`${name}/`, `${name}:`].some((start) => only.startsWith(start)),
  )
  const [server] = matching.toSorted((a, b) => b.name.length - a.name.length)
  if (server === undefined) {
    const name = /^[^/:]*/.exec(only)?.[0] ?? only
    const names = servers.map((one) => one.name)
    return raise('SERVER_NOT_FOUND', { server: name, similar: findSimilarTools(name, names), list: LIST_SERVERS })
  }
  return only === server.name ? { server } : { server, tool: only.slice(server.name.length + 1) }
}

/** Fails if a named tool has no pin. */
function requireTool({ server, record }: ServerRecord, tool: string | undefined): void {
  if (tool === undefined || record?.tools.some(({ name }) => name === tool) === true) return
  const similar = findSimilarTools(tool, record?.tools.map(({ name }) => name) ?? [])
  raise('TOOL_NOT_FOUND', {
    name: tool,
    server: server.name,
    similar,
    find: `\`toolcrib tools ${shellWord(server.name)}\``,
  })
}
