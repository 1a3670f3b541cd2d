// Checks that a value is an object with keys. In its own file, so that small bundles can import it alone.

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
