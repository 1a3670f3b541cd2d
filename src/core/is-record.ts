// Whether a value is an object with keys. By itself, so that whoever asks only this loads nothing else.

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
