// Checks that a value is an object, not null and not an array. In its own file for bundles that must stay small.

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
