// The form controls for objects, lists, and values with several variants.

import { useRef, useState } from 'preact/hooks'
import { isRecord } from '../is-record.ts'
import { findVariant } from '../schema/find-variant.ts'
import { initialItem, resolve, type SchemaShape, typeText } from '../schema/read-schema.ts'
import { SchemaField, type SchemaFieldProps } from './schema-field.tsx'
import { withField } from './with-field.ts'

export function ObjectControl(props: SchemaFieldProps & { readonly shape: Extract<SchemaShape, { kind: 'object' }> }) {
  const { value, path, depth, onChange, shape } = props
  const object = isRecord(value) ? value : {}
  return (
    <div class="fields">
      {shape.properties.map((property) => (
        <SchemaField
          {...props}
          key={property.name}
          action={undefined}
          property={property}
          path={`${path}.${property.name}`}
          depth={depth + 1}
          value={Object.hasOwn(object, property.name) ? object[property.name] : undefined}
          onChange={(next) => {
            const changed = withField(object, property.name, next)
            onChange(Object.keys(changed).length === 0 && !props.property.isRequired ? undefined : changed)
          }}
        />
      ))}
    </div>
  )
}

export function ArrayControl(props: SchemaFieldProps & { readonly items: unknown }) {
  const { items, root, path, depth, value, onChange, property } = props
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  const keys = useItemKeys(list.length)
  const set = (next: readonly unknown[]) => onChange(next.length === 0 && !property.isRequired ? undefined : next)
  return (
    <div class="fields">
      {list.map((item, at) => (
        <SchemaField
          {...props}
          key={keys[at]}
          property={{ name: `Item ${at + 1}`, schema: withoutTitle(items, root), isRequired: true }}
          path={`${path}[${at}]`}
          depth={depth + 1}
          // An object can contain a list of objects of its own kind. The form still ends, because the user adds each item.
          around={[]}
          value={item}
          onChange={(next) => set(list.map((one, index) => (index === at ? (next ?? null) : one)))}
          action={
            <button
              type="button"
              class="button button-small"
              onClick={() => {
                keys.splice(at, 1)
                set(list.filter((_, index) => index !== at))
              }}
              aria-label={`Remove item ${at + 1} of ${property.name}`}
            >
              Remove
            </button>
          }
        />
      ))}
      <div>
        <button type="button" class="button button-small" onClick={() => set([...list, initialItem(items, root)])}>
          Add an item<span class="visually-hidden"> to {property.name}</span>
        </button>
      </div>
    </div>
  )
}

export function VariantControl(
  props: SchemaFieldProps & { readonly variants: readonly unknown[]; readonly id: string },
) {
  const { variants, root, property, value, onChange, id } = props
  const [chosen, setChosen] = useState(() => findVariant(value, variants, root))
  const schema = variants[chosen]
  const names = variants.map((variant) => {
    const { title } = resolve(variant, root)
    return typeof title === 'string' ? title : typeText(variant, root)
  })
  return (
    <div class="fields">
      <div class="field">
        <label for={`${id}-variant`}>Type of {property.name}</label>
        <select
          id={`${id}-variant`}
          value={String(chosen)}
          onChange={({ currentTarget }) => {
            setChosen(Number(currentTarget.value))
            onChange(undefined)
          }}
        >
          {names.map((name, at) => (
            <option key={at} value={String(at)}>
              {name.length > 60 ? `${name.slice(0, 59)}…` : name}
            </option>
          ))}
        </select>
      </div>
      <SchemaField
        {...props}
        key={chosen}
        // The field of the variant has the path of this field, and its description needs an id of its own.
        prefix={`${props.prefix}-variant`}
        action={undefined}
        depth={props.depth + 1}
        property={{ ...property, schema }}
      />
    </div>
  )
}

/** A key for each item of a list. The caller removes the key of a removed item, so that the others keep their editors. */
function useItemKeys(count: number): symbol[] {
  const { current: keys } = useRef<symbol[]>([])
  while (keys.length < count) keys.push(Symbol())
  keys.length = count
  return keys
}

/** The paths of the fields that the control of a group shows. */
export function nestedPaths(shape: SchemaShape, path: string, value: unknown): readonly string[] {
  switch (shape.kind) {
    case 'object':
      return shape.properties.map(({ name }) => `${path}.${name}`)
    case 'array':
      return Array.isArray(value) ? value.map((_, at) => `${path}[${at}]`) : []
    case 'variants':
      return [path]
    default:
      return []
  }
}

/** Removes the title, because the label of a list item is its number. */
function withoutTitle(schema: unknown, root: unknown): unknown {
  const { title: _title, ...rest } = resolve(schema, root)
  return rest
}
