// A form for the properties of an object schema.

import { useRef } from 'preact/hooks'
import type { JsonObject } from '../is-record.ts'
import { ServerText } from '../parts/server-text.tsx'
import { allowsOtherFields, resolve, shapeOf } from '../schema/read-schema.ts'
import { type FieldProblem, problemsOutside } from './field-problems.ts'
import { SchemaField } from './schema-field.tsx'
import { withField } from './with-field.ts'

interface SchemaFormProps {
  readonly schema: unknown
  readonly value: JsonObject
  readonly problems: readonly FieldProblem[]
  /** Makes the ids of the fields unique on the page. */
  readonly prefix: string
  /** The text of a form without fields. */
  readonly empty: string
  onChange(value: JsonObject): void
  /** Called with true while the text of a JSON editor is invalid. Its last valid value must not be sent then. */
  onInvalid(isInvalid: boolean): void
}

export function SchemaForm({ schema, value, problems, prefix, empty, onChange, onInvalid }: SchemaFormProps) {
  const invalidEditors = useRef(new Set<symbol>())
  const shape = shapeOf(schema, schema)
  if (shape.kind !== 'object') return null
  return (
    <div class="fields">
      {shape.properties.map((property) => (
        <SchemaField
          key={property.name}
          property={property}
          root={schema}
          path={property.name}
          prefix={prefix}
          depth={0}
          around={[resolve(schema, schema).properties]}
          value={Object.hasOwn(value, property.name) ? value[property.name] : undefined}
          problems={problems}
          onChange={(next) => onChange(withField(value, property.name, next))}
          onJsonInvalid={(editor, isInvalid) => {
            if (isInvalid) invalidEditors.current.add(editor)
            else invalidEditors.current.delete(editor)
            onInvalid(invalidEditors.current.size > 0)
          }}
        />
      ))}
      {shape.properties.length === 0 && <p class="quiet">{empty}</p>}
    </div>
  )
}

/** Returns false for a schema that only the JSON editor can fill in. */
export function canDraw(schema: unknown): boolean {
  const shape = shapeOf(schema, schema)
  return shape.kind === 'object' && (shape.properties.length > 0 || !allowsOtherFields(schema, schema))
}

/** The problems that no field of the form shows, for example those of unknown fields. */
export function problemsWithoutField(schema: unknown, problems: readonly FieldProblem[]): readonly FieldProblem[] {
  const shape = shapeOf(schema, schema)
  const names = shape.kind === 'object' ? shape.properties.map(({ name }) => name) : []
  return problemsOutside(problems, names)
}

/** Problems that belong to no field of the form. */
export function OtherProblems({ problems }: { readonly problems: readonly string[] }) {
  if (problems.length === 0) return null
  return (
    <div class="notice notice-bad" role="alert">
      <ul class="bullets">
        {problems.map((problem) => (
          <li key={problem}>
            <ServerText text={problem} />
          </li>
        ))}
      </ul>
    </div>
  )
}
