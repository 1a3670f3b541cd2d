// The two tools of the servers in the benchmarks: `echo` repeats a text, `sized` sends a result of any size.

const text = { type: 'string', minLength: 1, maxLength: 1_000 }

export function toolList(isPlain: boolean) {
  const schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    echo: { properties: { text, times: { type: 'integer', minimum: 1, maximum: 9 } }, required: ['text'] },
    sized: { properties: { bytes: { type: 'integer', minimum: 1 } }, required: ['bytes'] },
  }
  return Object.entries(schemas).map(([name, schema]) => ({
    name,
    description: `The tool ${name} of the benchmark.`,
    inputSchema: { type: 'object' as const, ...(isPlain ? {} : schema) },
  }))
}

export function answer(name: string, args: Readonly<Record<string, unknown>> | undefined) {
  const value = name === 'sized' ? textOf(Number(args?.bytes)) : String(args?.text)
  return { content: [{ type: 'text' as const, text: value }] }
}

// Like real results, it has quotes, a newline and a letter outside ASCII.
const LINE = '{"id": 4711, "title": "A row of a report", "by": "Zoë", "tags": ["a", "b"], "open": true},\n'
const made = new Map<number, string>()

function textOf(length: number): string {
  const known = made.get(length) ?? LINE.repeat(Math.ceil(length / LINE.length)).slice(0, length)
  made.set(length, known)
  return known
}
