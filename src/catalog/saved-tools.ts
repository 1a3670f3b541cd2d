// The tools of a snapshot in a file: names at once, and what else a tool says of itself when somebody asks for it.

import type { DescribedTool, Disabled, ToolId } from '../core/tool.ts'
import { DamagedFile, type SectionFile, type Sections } from '../storage/section-file.ts'
import { toolId } from './tool-id.ts'
import { type Snapshot, snapshotOf } from './tool-set.ts'

/** What of the tools is read at once: names, and all that decides whether a tool is visible. */
export interface SavedNames {
  /** Sources as they come, and how many tools each of them has there. */
  readonly runs: readonly (readonly [source: string, count: number])[]
  readonly names: readonly string[]
  /** Those that are not `source__name`, by position. */
  readonly listedNames: readonly (readonly [position: number, listedName: string])[]
  /** By position; an empty one for a tool that no rule enables. */
  readonly disabled: readonly (readonly [position: number, disabled: Disabled])[]
  readonly unexposed: readonly number[]
}

export interface SavedTools {
  readonly names: SavedNames
  readonly sections: Sections
}

type Rest = Pick<
  DescribedTool,
  'title' | 'description' | 'category' | 'tags' | 'inputSchema' | 'isSchemaUnknown' | 'annotations' | 'traits'
>

export function saveTools(tools: readonly DescribedTool[]): SavedTools {
  const runs: [string, number][] = []
  for (const { sourceId } of tools) {
    const last = runs.at(-1)
    if (last?.[0] === sourceId) last[1]++
    else runs.push([sourceId, 1])
  }
  const texts = tools.map((tool) => Buffer.from(JSON.stringify(restOf(tool))))
  const starts = new Uint32Array(tools.length + 1)
  texts.forEach((text, position) => {
    starts[position + 1] = (starts[position] ?? 0) + text.length
  })
  return {
    names: {
      runs,
      names: tools.map(({ name }) => name),
      listedNames: tools.flatMap((tool, position) =>
        tool.listedName === flatName(tool) ? [] : [[position, tool.listedName]],
      ),
      disabled: tools.flatMap(({ disabled }, position) => (disabled === undefined ? [] : [[position, disabled]])),
      unexposed: tools.flatMap(({ unexposed }, position) => (unexposed === true ? [position] : [])),
    },
    sections: { texts: Buffer.concat(texts), textStarts: new Uint8Array(starts.buffer) },
  }
}

export function openTools(saved: SavedNames, file: Pick<SectionFile, 'section' | 'part'>): Snapshot<DescribedTool> {
  let starts: Uint32Array | undefined
  const shelf: Shelf = {
    listedNames: new Map(saved.listedNames),
    disabled: new Map(saved.disabled),
    unexposed: new Set(saved.unexposed),
    restAt(position) {
      starts ??= new Uint32Array(file.section('textStarts').buffer)
      const text = file.part('texts', starts[position] ?? 0, starts[position + 1] ?? 0)
      try {
        // As `saveTools` wrote it, unless the file was damaged since.
        return JSON.parse(Buffer.from(text.buffer).toString()) as Rest
      } catch {
        throw new DamagedFile('The kept catalog', `tool ${position} cannot be read`)
      }
    },
  }
  const tools: SavedTool[] = []
  for (const [source, count] of saved.runs) {
    for (const end = tools.length + count; tools.length < end; ) {
      tools.push(new SavedTool(source, saved.names[tools.length] ?? '', tools.length, shelf))
    }
  }
  return snapshotOf(tools)
}

/** What all tools of a file share. */
interface Shelf {
  readonly listedNames: ReadonlyMap<number, string>
  readonly disabled: ReadonlyMap<number, Disabled>
  readonly unexposed: ReadonlySet<number>
  restAt(position: number): Rest
}

class SavedTool implements DescribedTool {
  readonly id: ToolId
  readonly sourceId: string
  readonly name: string
  readonly #position: number
  readonly #shelf: Shelf
  #rest: Rest | undefined

  constructor(sourceId: string, name: string, position: number, shelf: Shelf) {
    this.id = toolId(sourceId, name)
    this.sourceId = sourceId
    this.name = name
    this.#position = position
    this.#shelf = shelf
  }

  get listedName() {
    return this.#shelf.listedNames.get(this.#position) ?? flatName(this)
  }

  get disabled() {
    return this.#shelf.disabled.get(this.#position)
  }

  get unexposed() {
    return this.#shelf.unexposed.has(this.#position)
  }

  get #said(): Rest {
    this.#rest ??= this.#shelf.restAt(this.#position)
    return this.#rest
  }

  get title() {
    return this.#said.title
  }

  get description() {
    return this.#said.description
  }

  get category() {
    return this.#said.category
  }

  get tags() {
    return this.#said.tags
  }

  get annotations() {
    return this.#said.annotations
  }

  get inputSchema() {
    return this.#said.inputSchema
  }

  get isSchemaUnknown() {
    return this.#said.isSchemaUnknown
  }

  get traits() {
    return this.#said.traits
  }
}

function restOf(tool: DescribedTool): Rest {
  const { title, description, category, tags, inputSchema, isSchemaUnknown, annotations, traits } = tool
  return { title, description, category, tags, inputSchema, isSchemaUnknown, annotations, traits }
}

function flatName({ sourceId, name }: Pick<DescribedTool, 'sourceId' | 'name'>): string {
  return `${sourceId}__${name}`
}
