// Formats the details of a tool: its description, its parameters with types and limits, and examples.

import { isRecord } from '../../../core/is-record.ts'
import { argumentFields } from '../../../core/parameters/argument-fields.ts'
import { asField, parametersOf } from '../../../core/parameters/parameters.ts'
import type { Field, Form } from '../../../core/parameters/schema-form.ts'
import { createSchemaReader, type ReadSchema } from '../../../core/parameters/schema-reader.ts'
import type { JsonSchema } from '../../../core/tool.ts'
import type { ToolDetails } from '../../../disclosure/strategies/gateway/describe-tool.ts'
import { ADDED_AFTER_PINS } from '../../output/notes.ts'
import type { Output, Paint } from '../../output/output.ts'
import { oneLine, plain, rangeText, visible, wrap } from '../../output/text.ts'

export function toolLines(details: ToolDetails, wantsExamples: boolean, output: Output): readonly string[] {
  const { server, tool, description, schema = {}, examples = [], change } = details
  const added = change === 'new' ? [ADDED_AFTER_PINS] : []
  const warnings = [...(details.warnings ?? []), ...added]
  const { paint, width } = output
  const parameters = parameterLines(schema, width, paint)
  return [
    `Tool: ${paint.bold(visible(`${server}:${tool}`))}`,
    ...warnings.flatMap((warning) => output.wrap(`Note: ${warning}`)),
    '',
    'Description:',
    ...output.wrap(description === '' ? '(none)' : description, '  '),
    '',
    'Parameters:',
    ...(parameters.length === 0 ? ['  (none)'] : parameters),
    ...(wantsExamples ? ['', 'Examples:', ...exampleLines(examples)] : []),
  ]
}

function exampleLines(examples: NonNullable<ToolDetails['examples']>): readonly string[] {
  if (examples.length === 0) return ['  (no example that is certain to be valid)']
  return examples.flatMap(({ description, parameters }, at) => [
    ...(at === 0 ? [] : ['']),
    `  ${oneLine(description)}:`,
    ...(isRecord(parameters) && Object.keys(parameters).length > 0
      ? Object.entries(parameters).map(([name, value]) => `    ${oneLine(name)}: ${plain(JSON.stringify(value))}`)
      : ['    (no arguments)']),
  ])
}

const MAX_DEPTH = 6
const MAX_CHOICES = 40

/** One block per parameter. Nested parameters are indented. */
export function parameterLines(schema: JsonSchema, width: number, paint: Paint): readonly string[] {
  const read = createSchemaReader(schema)
  const { fields, others, isWhole, isDeclared } = argumentFields(schema, read)
  if (!isDeclared) return ['  (the server does not say which parameters the tool takes)']
  const { oneOf = [] } = parametersOf(schema)
  const all = [...fields, ...others.flatMap((other) => asField(other, read))]
  const blocks = all.map((field) => fieldLines(field, read, { width, paint, indent: '  ', above: [] }))
  const forms = oneOf.map((form) => wrap(`- ${oneLine(form)}`, width, '    '))
  const formsTitle = blocks.length === 0 ? ['  One of these forms:'] : ['', '  And one of these forms:']
  return [
    ...blocks.flatMap((block, at) => (at === 0 ? block : ['', ...block])),
    ...(forms.length === 0 ? [] : [...formsTitle, ...forms.flat()]),
    ...(isWhole ? [] : ['', '  The schema says more. --json prints the whole schema.']),
  ]
}

interface BlockContext {
  readonly width: number
  readonly paint: Paint
  readonly indent: string
  /** The enclosing schema forms, to stop at a schema that contains itself. */
  readonly above: readonly (readonly Form[])[]
}

function fieldLines(field: Field, read: ReadSchema, context: BlockContext): readonly string[] {
  const { width, paint, indent, above } = context
  const { forms, description, default: fallback } = read(field.schema)
  const deeper = `${indent}  `
  const facts = [typeOf(forms, read), field.isRequired ? 'required' : 'optional', ...limitsOf(forms)]
  const defaultText = fallback === undefined ? [] : [`default ${shortJson(fallback)}`]
  const choices = choicesOf(forms)
  const nested = above.length >= MAX_DEPTH || above.includes(forms) ? [] : fieldsIn(forms, read)
  const inner = { ...context, indent: deeper, above: [...above, forms] }
  return [
    `${indent}${paint.bold(visible(field.name))} (${[...facts, ...defaultText].join(', ')})`,
    ...(description === undefined || description.trim() === '' ? [] : wrap(description, width, deeper)),
    ...(choices.length === 0 ? [] : wrap(`One of: ${choices.join(', ')}`, width, deeper)),
    ...nested.flatMap((one) => fieldLines(one, read, inner)),
  ]
}

/** The fields of an object, or of the objects in an array. */
function fieldsIn(forms: readonly Form[], read: ReadSchema): readonly Field[] {
  return forms.flatMap((form) => {
    if (form.kind === 'object') return form.fields
    if (form.kind !== 'array' || form.rest === false) return []
    return read(form.rest).forms.flatMap((item) => (item.kind === 'object' ? item.fields : []))
  })
}

function typeOf(forms: readonly Form[], read: ReadSchema, depth = 0): string {
  const names = forms.map((form) => {
    if (form.kind === 'literal') return form.value === null ? 'null' : typeof form.value
    if (form.kind === 'string') return form.format === undefined ? 'string' : `string: ${oneLine(form.format)}`
    if (form.kind !== 'array' || form.rest === false || depth > 2) return form.kind
    const items = typeOf(read(form.rest).forms, read, depth + 1)
    return items === 'any' ? 'array' : `array of ${items}`
  })
  return [...new Set(names)].join(' or ') || 'any'
}

function limitsOf(forms: readonly Form[]): readonly string[] {
  const limits = forms.flatMap((form) => {
    switch (form.kind) {
      case 'integer':
      case 'number':
        return [
          rangeText(form),
          ...(form.above === undefined ? [] : [`above ${form.above}`]),
          ...(form.below === undefined ? [] : [`below ${form.below}`]),
          ...(form.step === undefined ? [] : [`in steps of ${form.step}`]),
        ]
      case 'string':
        return [
          rangeText(form.length, 'character'),
          ...(form.pattern === undefined ? [] : [`matches /${oneLine(form.pattern)}/`]),
        ]
      case 'array':
        return [rangeText(form.count, 'item'), ...(form.isUnique ? ['unique items'] : [])]
      default:
        return []
    }
  })
  return [...new Set(limits)].filter((limit) => limit !== '')
}

function choicesOf(forms: readonly Form[]): readonly string[] {
  const literals = forms.flatMap((form) => (form.kind === 'literal' ? [shortJson(form.value)] : []))
  return literals.length <= MAX_CHOICES
    ? literals
    : [...literals.slice(0, MAX_CHOICES), `and ${literals.length - MAX_CHOICES} more`]
}

function shortJson(value: unknown): string {
  const text = plain(JSON.stringify(value) ?? 'undefined')
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`
}
