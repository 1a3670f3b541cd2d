// Saves the tools of a snapshot in sections of a file, and reads them back. The details of a tool are read on access.

import type { DescribedTool, Disabled, ToolChange, ToolId } from '../core/tool.ts'
import { DamagedFile, type SectionFile, type Sections } from '../storage/section-file.ts'
import { type Snapshot, snapshotOf, toolId } from './tool-set.ts'

/** The section that is read at once: names, and which tools are disabled, not exposed or changed. */
interface SavedNames {
  /** The sources in order, each with the number of consecutive tools it has. */
  readonly runs: readonly (readonly [source: string, count: number])[]
  readonly names: readonly string[]
  /** The listed names that differ from `source__name`, by position. */
  readonly listedNames: readonly (readonly [position: number, listedName: string])[]
  /** The disabled tools, by position. */
  readonly disabled: readonly (readonly [position: number, disabled: Disabled])[]
  readonly unexposed: readonly number[]
  /** The tools that differ from their pins, by position. */
  readonly changes: readonly (readonly [position: number, change: ToolChange])[]
}

/** The fields of a tool that are read on access. */
const DETAILS = [
  'title',
  'description',
  'category',
  'tags',
  'inputSchema',
  'isSchemaUnknown',
  'annotations',
  'warnings',
  'traits',
] as const satisfies readonly (keyof DescribedTool)[]

type ToolDetails = Pick<DescribedTool, (typeof DETAILS)[number]>

export function saveTools(tools: readonly DescribedTool[]): Sections {
  const runs: [string, number][] = []
  for (const { sourceId } of tools) {
    const last = runs.at(-1)
    if (last?.[0] === sourceId) last[1]++
    else runs.push([sourceId, 1])
  }
  const texts = tools.map((tool) => {
    const details = Object.fromEntries(DETAILS.map((field) => [field, tool[field]]))
    return Buffer.from(JSON.stringify(details))
  })
  const starts = new Uint32Array(tools.length + 1)
  texts.forEach((text, position) => {
    starts[position + 1] = (starts[position] ?? 0) + text.length
  })
  const names: SavedNames = {
    runs,
    names: tools.map(({ name }) => name),
    listedNames: tools.flatMap((tool, position) =>
      tool.listedName === prefixedName(tool) ? [] : [[position, tool.listedName]],
    ),
    disabled: tools.flatMap(({ disabled }, position) => (disabled === undefined ? [] : [[position, disabled]])),
    unexposed: tools.flatMap(({ unexposed }, position) => (unexposed === true ? [position] : [])),
    changes: tools.flatMap(({ change }, position) => (change === undefined ? [] : [[position, change]])),
  }
  return {
    names: Buffer.from(JSON.stringify(names)),
    texts: Buffer.concat(texts),
    textStarts: new Uint8Array(starts.buffer),
  }
}

export function openTools(file: Pick<SectionFile, 'section' | 'part'>): Snapshot<DescribedTool> {
  // The file has checked the section, so this is what `saveTools` wrote.
  const saved = JSON.parse(Buffer.from(file.section('names').buffer).toString()) as SavedNames
  let starts: Uint32Array | undefined
  const shared: SharedData = {
    listedNames: new Map(saved.listedNames),
    disabled: new Map(saved.disabled),
    unexposed: new Set(saved.unexposed),
    changes: new Map(saved.changes),
    detailsAt(position) {
      starts ??= new Uint32Array(file.section('textStarts').buffer)
      const text = file.part('texts', starts[position] ?? 0, starts[position + 1] ?? 0)
      try {
        // `saveTools` wrote this text, unless the file was damaged since.
        return JSON.parse(Buffer.from(text.buffer).toString()) as ToolDetails
      } catch {
        throw new DamagedFile('The saved catalog', `tool ${position} cannot be read`)
      }
    },
  }
  const tools: DescribedTool[] = []
  for (const [source, count] of saved.runs) {
    for (const end = tools.length + count; tools.length < end; ) {
      const tool = new SavedTool(source, saved.names[tools.length] ?? '', tools.length, shared)
      tools.push(tool as SavedTool & ToolDetails) // its prototype has the getters of the details
    }
  }
  return snapshotOf(tools)
}

/** The data that all tools of a file share. */
interface SharedData {
  readonly listedNames: ReadonlyMap<number, string>
  readonly disabled: ReadonlyMap<number, Disabled>
  readonly unexposed: ReadonlySet<number>
  readonly changes: ReadonlyMap<number, ToolChange>
  detailsAt(position: number): ToolDetails
}

/** A tool with getters. The loop below adds those of `DETAILS`. */
class SavedTool implements Omit<DescribedTool, keyof ToolDetails> {
  readonly id: ToolId
  readonly sourceId: string
  readonly name: string
  readonly #position: number
  readonly #shared: SharedData
  #loaded: ToolDetails | undefined

  constructor(sourceId: string, name: string, position: number, shared: SharedData) {
    this.id = toolId(sourceId, name)
    this.sourceId = sourceId
    this.name = name
    this.#position = position
    this.#shared = shared
  }

  get listedName() {
    return this.#shared.listedNames.get(this.#position) ?? prefixedName(this)
  }

  get disabled() {
    return this.#shared.disabled.get(this.#position)
  }

  get unexposed() {
    return this.#shared.unexposed.has(this.#position)
  }

  get change() {
    return this.#shared.changes.get(this.#position)
  }

  get details(): ToolDetails {
    this.#loaded ??= this.#shared.detailsAt(this.#position)
    return this.#loaded
  }
}

for (const field of DETAILS) {
  Object.defineProperty(SavedTool.prototype, field, {
    get(this: SavedTool) {
      return this.details[field]
    },
  })
}

function prefixedName({ sourceId, name }: Pick<DescribedTool, 'sourceId' | 'name'>): string {
  return `${sourceId}__${name}`
}
