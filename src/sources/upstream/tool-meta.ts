// Reads category, tags, requires and examples from the `_meta` of a tool. Our own command servers publish them there.

import { cleanText, cleanValue, withChanged } from '../../core/clean-text.ts'
import { isRecord } from '../../core/is-record.ts'
import { onOneLine } from '../../core/text.ts'
import type { ToolEntry, ToolExample, ToolTraits } from '../../core/tool.ts'

interface ToolMeta extends Pick<ToolEntry, 'category' | 'tags'> {
  readonly traits: Pick<ToolTraits, 'requires' | 'examples'>
}

const MAX_TEXT_CHARS = 64
const MAX_TEXTS = 20
const MAX_EXAMPLES = 10

/** Ignores fields of an unexpected type, because any server can write `_meta`. */
export function readToolMeta(meta: unknown): ToolMeta {
  if (!isRecord(meta)) return { traits: {} }
  const { category, tags, requires, examples } = meta
  const [validCategory] = textsIn([category])
  const [validTags, validRequires, validExamples] = [textsIn(tags), textsIn(requires), examplesIn(examples)]
  return {
    ...(validCategory === undefined ? {} : { category: validCategory }),
    ...(validTags.length === 0 ? {} : { tags: validTags }),
    traits: {
      ...(validRequires.length === 0 ? {} : { requires: validRequires }),
      ...(validExamples.length === 0 ? {} : { examples: validExamples }),
    },
  }
}

function textsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  const texts = value
    .filter((one): one is string => typeof one === 'string')
    .map((one) => onOneLine(cleanText(one)).trim())
  return texts.filter((text) => text !== '' && text.length <= MAX_TEXT_CHARS).slice(0, MAX_TEXTS)
}

function examplesIn(value: unknown): readonly ToolExample[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, MAX_EXAMPLES).flatMap((one): ToolExample[] => {
    if (!isRecord(one) || !isRecord(one.input)) return []
    const { title, description, input, output } = one
    return [
      {
        input: withCleanTexts(input),
        ...(typeof title === 'string' ? { title: cleanText(title) } : {}),
        ...(typeof description === 'string' ? { description: cleanText(description) } : {}),
        ...(output === undefined ? {} : { output: cleanValue(output) }),
      },
    ]
  })
}

/** Example arguments are shown to the model. The server does not get them back. */
function withCleanTexts(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return withChanged(input, (value) => cleanValue(value))
}
