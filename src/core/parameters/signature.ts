// Shows a tool and its parameters in one line. A model can often call the tool without more details.

import type { JsonSchema } from '../tool.ts'
import { argumentFields } from './argument-fields.ts'
import type { Field, Form, ObjectForm } from './schema-form.ts'
import { createSchemaReader, type ReadSchema } from './schema-reader.ts'
import { literalText, nameText } from './type-parts.ts'

const MAX_OPTIONAL = 6
const MAX_CHARS = 160
const MAX_VARIANTS = 3
const MAX_ENUM_CHARS = 32

/**
 * `create_issue(repo, labels[], state?: 'open'|'closed', …+4)`: the required fields first, `[]` for arrays, `?` for
 * optional fields, `…+4` for four more fields. `pay(amount, card | iban)` has two forms of arguments.
 */
export function signature(name: string, schema: JsonSchema): string {
  const read = createSchemaReader(schema)
  const { fields, variants, isDeclared } = argumentFields(schema, read)
  // The parameters are unknown, which differs from having none.
  if (!isDeclared) return `${name}(…)`
  const shown: string[] = []
  let chars = 0
  let optional = 0
  for (const field of fields) {
    const text = fieldText(field, read)
    optional += field.isRequired ? 0 : 1
    // Required fields get more room: a call without them fails.
    if (optional > MAX_OPTIONAL || chars + text.length > (field.isRequired ? MAX_CHARS * 2 : MAX_CHARS)) break
    chars += text.length + 2
    shown.push(text)
  }
  const leftOut = fields.length - shown.length
  const forms = variants.slice(0, MAX_VARIANTS).map((form) => variantText(form, read))
  const parts = [
    ...shown,
    ...(forms.length === 0 ? [] : [`${forms.join(' | ')}${variants.length > forms.length ? ' | …' : ''}`]),
    ...(leftOut === 0 ? [] : [`…+${leftOut}`]),
  ]
  return `${name}(${parts.join(', ')})`
}

function variantText({ fields }: ObjectForm, read: ReadSchema): string {
  const needed = fields.filter(({ isRequired }) => isRequired)
  return (needed.length === 0 ? fields.slice(0, 1) : needed.slice(0, 4))
    .map((field) => fieldText(field, read))
    .join(', ')
}

function fieldText({ name, schema, isRequired }: Field, read: ReadSchema): string {
  const { forms } = read(schema)
  const values = valuesText(forms)
  const isArray = forms.length > 0 && forms.every(({ kind }) => kind === 'array' || kind === 'null')
  return `${nameText(name)}${isArray ? '[]' : ''}${isRequired ? '' : '?'}${values === undefined ? '' : `: ${values}`}`
}

/** `'open'|'closed'`, if the field accepts only these values and they fit. */
function valuesText(forms: readonly Form[]): string | undefined {
  const texts: string[] = []
  for (const form of forms.slice(0, MAX_ENUM_CHARS)) {
    const text = form.kind === 'literal' ? literalText(form.value, MAX_ENUM_CHARS) : undefined
    if (text === undefined) return undefined
    texts.push(text)
  }
  const joined = texts.join('|')
  return texts.length === 0 || joined.length > MAX_ENUM_CHARS ? undefined : joined
}
