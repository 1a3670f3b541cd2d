// A table of the parameters of a tool, with the fields of nested objects.

import { ServerText } from '../../parts/server-text.tsx'
import { allowsOtherFields, type Property, resolve, shapeOf, typeText } from '../../schema/read-schema.ts'

interface Row extends Property {
  readonly path: string
  readonly depth: number
}

/** The maximum depth of nested objects, and of nested lists. A schema may refer to itself. */
const MAX_DEPTH = 4
const MAX_ROWS = 200

export function ParameterTable({ schema }: { readonly schema: unknown }) {
  const rows: Row[] = []
  collect(schema, schema, '', 0, rows)
  if (rows.length === 0) return <p class="quiet">{textWithoutRows(schema)}</p>
  return (
    <>
      <table class="parameters">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Description</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <ParameterRow key={row.path} row={row} root={schema} />
          ))}
        </tbody>
      </table>
      {rows.length >= MAX_ROWS && (
        <p class="quiet">This table can be incomplete: the input schema below has all parameters.</p>
      )}
    </>
  )
}

function ParameterRow({ row, root }: { readonly row: Row; readonly root: unknown }) {
  const { description, default: defaultValue, ...rest } = resolve(row.schema, root)
  return (
    <tr class={`depth-${row.depth}`}>
      <th scope="row" class="mono">
        <ServerText text={row.name} />
        {row.isRequired && <span class="required"> required</span>}
      </th>
      <td class="mono type">
        <ServerText text={typeText(rest, root)} />
      </td>
      <td>
        {typeof description === 'string' && <ServerText text={description} />}
        {defaultValue !== undefined && (
          <p class="quiet">
            Default: <code>{JSON.stringify(defaultValue)}</code>
          </p>
        )}
      </td>
    </tr>
  )
}

function textWithoutRows(schema: unknown): string {
  const hasNone = shapeOf(schema, schema).kind === 'object' && !allowsOtherFields(schema, schema)
  return hasNone
    ? 'This tool takes no parameters.'
    : 'The parameters do not fit into a table. The input schema below describes them.'
}

function collect(schema: unknown, root: unknown, start: string, depth: number, rows: Row[]): void {
  let shape = shapeOf(schema, root)
  let prefix = start
  for (let lists = 0; shape.kind === 'array' && lists < MAX_DEPTH; lists++) {
    shape = shapeOf(shape.items, root)
    prefix += '[]'
  }
  if (shape.kind !== 'object' || depth >= MAX_DEPTH) return
  for (const property of shape.properties) {
    if (rows.length >= MAX_ROWS) return
    const path = prefix === '' ? property.name : `${prefix}.${property.name}`
    rows.push({ ...property, path, depth })
    collect(property.schema, root, path, depth + 1, rows)
  }
}
