// Parses the text format of Prometheus.

export interface PrometheusSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/y

/** Throws if a line is not valid, or if a sample has no `# TYPE` before it. */
export function parsePrometheus(text: string): readonly PrometheusSample[] {
  const typed = new Set<string>()
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('# TYPE ')) typed.add(line.split(' ')[2] ?? '')
    if (line === '' || line.startsWith('#')) return []
    const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? []
    const family = name.replace(/_(?:bucket|sum|count)$/, '')
    if (!typed.has(name) && !typed.has(family)) throw new Error(`No type for this line: ${line}`)
    return [{ name, labels: labelsIn(labels), value: Number(value.replace('+Inf', 'Infinity')) }]
  })
}

function labelsIn(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const found = LABEL.exec(text)
    if (found === null) throw new Error(`Invalid labels: ${text}`)
    labels[found[1] ?? ''] = found[2] ?? ''
  }
  return labels
}
