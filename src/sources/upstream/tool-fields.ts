// The fields of tools, schemas and servers, by their content: what calls need, other schemas, or texts that only describe.

/**
 * The fields of tools, schemas and servers that calls need: names, types, choices, limits, formats and references. Each
 * field that is in none of these three sets is a description.
 */
export const NEEDED: ReadonlySet<string> = new Set([
  'name',
  'nextCursor',
  'type',
  'enum',
  'const',
  'required',
  'dependentRequired',
  'pattern',
  'format',
  'contentEncoding',
  'contentMediaType',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
  'id',
  '$id',
  '$ref',
  '$schema',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$vocabulary',
  // The name of a header, see `core/marked-params.ts`.
  'x-mcp-header',
])
/** Fields with a tool, a schema or a server, or with a list of them. */
export const PARTS: ReadonlySet<string> = new Set([
  'tools',
  'serverInfo',
  'inputSchema',
  'outputSchema',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
])
/** Fields that map names to schemas. A name can be that of a field, such as `title`. */
export const MAPS_OF_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])
