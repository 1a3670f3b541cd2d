// One field of a form: its label, its control, its description and its problem.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { isRecord } from '../is-record.ts'
import { ServerText } from '../parts/server-text.tsx'
import { type Property, resolve, shapeOf, typeText } from '../schema/read-schema.ts'
import { type FieldProblem, problemsIn, problemsOutside } from './field-problems.ts'
import { ArrayControl, nestedPaths, ObjectControl, VariantControl } from './nested-controls.tsx'
import { ChoiceControl, JsonControl, NumberControl, TextControl } from './plain-controls.tsx'

/** Objects, lists and values with variants that are nested this deep are edited as JSON. */
const MAX_DEPTH = 5

export interface SchemaFieldProps {
  readonly property: Property
  /** The whole schema, which references point into. */
  readonly root: unknown
  readonly path: string
  /** Makes the ids of the fields unique on the page. */
  readonly prefix: string
  readonly depth: number
  /** The `properties` of each object around this field. An object with the same `properties` is edited as JSON. */
  readonly around: readonly unknown[]
  readonly value: unknown
  readonly problems: readonly FieldProblem[]
  onChange(value: unknown): void
  /** Says whether the text of a JSON editor is invalid. An editor that is removed is no longer invalid. */
  onJsonInvalid(editor: symbol, isInvalid: boolean): void
  /** A button beside the label, for example to remove an item of a list. */
  readonly action?: ComponentChildren
}

/** The properties that connect a control with its label and texts. */
export interface ControlIds {
  readonly id: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: 'true'
  readonly 'aria-required'?: 'true'
}

export function SchemaField(props: SchemaFieldProps) {
  const { property, root, path, prefix, depth, around, value, problems, action } = props
  // The path of an item of a list changes when an item before it is removed, so it cannot identify the editor.
  const [self] = useState(() => Symbol(path))
  const schema = resolve(property.schema, root)
  const shape = shapeOf(schema, root)
  const id = `${prefix}-${path}`
  const title = typeof schema.title === 'string' ? schema.title : property.name
  const { description } = schema
  const hasDescription = typeof description === 'string' && description !== ''
  const isNested = depth < MAX_DEPTH && isDrawnAsGroup(shape.kind, schema) && !around.includes(schema.properties)
  // The problems that no nested field shows: those of unknown fields, and of values in a JSON editor.
  const own = problemsOutside(problemsIn(problems, path), isNested ? nestedPaths(shape, path, value) : [])
  const describedBy = [hasDescription ? `${id}-help` : '', own.length > 0 ? `${id}-problem` : ''].filter(Boolean)
  const ids: ControlIds = {
    id,
    ...(describedBy.length > 0 ? { 'aria-describedby': describedBy.join(' ') } : {}),
    ...(own.length > 0 ? { 'aria-invalid': 'true' } : {}),
    ...(property.isRequired ? { 'aria-required': 'true' } : {}),
  }
  const texts = (
    <>
      {hasDescription && (
        <p id={`${id}-help`} class="field-help">
          <ServerText text={description} />
        </p>
      )}
      {own.length > 0 && (
        <div id={`${id}-problem`} class="field-problem">
          {own.map(({ message }) => (
            <p key={message}>
              <ServerText text={message} />
            </p>
          ))}
        </div>
      )}
    </>
  )
  const heading = (
    <>
      <span class="field-name">
        <ServerText text={title} />
      </span>
      <span class="field-type">
        {' '}
        {shortType(typeText(schema, root))}
        {property.isRequired && ', required'}
      </span>
    </>
  )
  if (isNested)
    return (
      <fieldset class="field group" aria-describedby={ids['aria-describedby']}>
        <legend>{heading}</legend>
        {action}
        {texts}
        {shape.kind === 'object' && <ObjectControl {...props} around={[...around, schema.properties]} shape={shape} />}
        {shape.kind === 'array' && <ArrayControl {...props} items={shape.items} />}
        {shape.kind === 'variants' && <VariantControl {...props} variants={shape.variants} id={id} />}
      </fieldset>
    )
  return (
    <div class="field">
      <div class="field-label">
        <label for={id}>{heading}</label>
        {action}
      </div>
      {shape.kind === 'choice' && <ChoiceControl ids={ids} {...shape} {...controlProps(props)} />}
      {shape.kind === 'boolean' && <ChoiceControl ids={ids} values={[true, false]} {...controlProps(props)} />}
      {shape.kind === 'number' && <NumberControl ids={ids} shape={shape} {...controlProps(props)} />}
      {shape.kind === 'string' && <TextControl ids={ids} format={shape.format} {...controlProps(props)} />}
      {!['choice', 'boolean', 'number', 'string'].includes(shape.kind) && (
        <JsonControl
          ids={ids}
          value={value}
          onChange={props.onChange}
          onProblem={(problem) => props.onJsonInvalid(self, problem !== undefined)}
        />
      )}
      {texts}
    </div>
  )
}

function isDrawnAsGroup(kind: string, schema: unknown): boolean {
  if (kind === 'array' || kind === 'variants') return true
  // An object without known properties is edited as JSON.
  return (
    kind === 'object' && isRecord(schema) && isRecord(schema.properties) && Object.keys(schema.properties).length > 0
  )
}

function controlProps({ value, onChange, property }: SchemaFieldProps) {
  return { value, onChange, isRequired: property.isRequired }
}

/** Shortens the text of a type. It does not list choices, because the control itself shows them. */
function shortType(type: string): string {
  if (type.includes(' | ')) return type.startsWith('list of ') ? 'list of choices' : 'choice'
  return type.length > 40 ? `${type.slice(0, 39)}…` : type
}
