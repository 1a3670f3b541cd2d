// Draws times by size as SVG on two logarithmic axes, with n log n as a dashed line.

export interface PlotLine {
  readonly name: string
  readonly points: readonly (readonly [size: number, ms: number])[]
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [760, 460, 70, 150, 40, 50]
const COLORS = ['#1b6ca8', '#c0392b', '#1e8449', '#7d3c98', '#b9770e', '#34495e']

export function plotSvg(title: string, lines: readonly PlotLine[]): string {
  const points = lines.flatMap((line) => line.points)
  const across = decades(points.map(([size]) => size))
  const up = decades(points.map(([, ms]) => ms))
  const x = (size: number) => LEFT + share(size, across) * (WIDTH - LEFT - RIGHT)
  const y = (ms: number) => HEIGHT - BOTTOM - share(ms, up) * (HEIGHT - TOP - BOTTOM)
  const text = (at: readonly [number, number], words: string, more = '') =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" ${more}>${words}</text>`
  const grid = [
    ...powers(across).map((size) => [
      `<path d="M${x(size)} ${TOP}V${HEIGHT - BOTTOM}" stroke="#ddd"/>`,
      text([x(size), HEIGHT - BOTTOM + 18], size.toLocaleString('en'), 'text-anchor="middle"'),
    ]),
    ...powers(up).map((ms) => [
      `<path d="M${LEFT} ${y(ms).toFixed(1)}H${WIDTH - RIGHT}" stroke="#ddd"/>`,
      text([LEFT - 8, y(ms) + 4], `${ms} ms`, 'text-anchor="end"'),
    ]),
  ].flat()
  const curves = lines.flatMap(({ name, points: own }, at) => {
    const color = COLORS[at % COLORS.length]
    const path = own.map(([size, ms], step) => `${step === 0 ? 'M' : 'L'}${x(size).toFixed(1)} ${y(ms).toFixed(1)}`)
    return [
      `<path d="${path.join('')}" fill="none" stroke="${color}" stroke-width="2"/>`,
      text([WIDTH - RIGHT + 12, TOP + 20 + at * 20], name, `fill="${color}"`),
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text([LEFT, 24], title, 'font-size="15"'),
    ...grid,
    reference(across, up, x, y),
    ...curves,
    text([WIDTH - RIGHT + 12, TOP + 20 + lines.length * 20], 'n log n (dashed)', 'fill="#888"'),
    text([(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12], 'tools', 'text-anchor="middle"'),
    '</svg>\n',
  ].join('\n')
}

type Range = readonly [low: number, high: number]

/** The exponents of the powers of ten around the values. */
function decades(values: readonly number[]): Range {
  return [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))]
}

function powers([low, high]: Range): readonly number[] {
  return Array.from({ length: high - low + 1 }, (_, at) => Number(`1e${low + at}`))
}

function share(value: number, [low, high]: Range): number {
  return (Math.log10(value) - low) / Math.max(1, high - low)
}

/** Draws n log n from the lower left corner as far as it fits. */
function reference(across: Range, up: Range, x: (size: number) => number, y: (ms: number) => number): string {
  const first = 10 ** across[0]
  const at = (size: number) => (10 ** up[0] * size * Math.log2(size)) / (first * Math.log2(first))
  const steps = Array.from({ length: 60 }, (_, step) => first * 10 ** ((step / 59) * (across[1] - across[0])))
  const inside = steps.filter((size) => size > 1 && at(size) <= 10 ** up[1])
  const path = inside.map((size, step) => `${step === 0 ? 'M' : 'L'}${x(size).toFixed(1)} ${y(at(size)).toFixed(1)}`)
  return `<path d="${path.join('')}" fill="none" stroke="#888" stroke-dasharray="5 4"/>`
}
