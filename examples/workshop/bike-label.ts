// The label of a bike in the workshop, drawn as SVG.

import type { Bike } from './model.ts'

export interface LabelOptions {
  readonly bike: Bike
  readonly owner: string
  readonly orderId: string | null
  readonly widthMm: number
}

export function bikeLabel({ bike, owner, orderId, widthMm }: LabelOptions): string {
  const lines = [bike.id, `${bike.make} ${bike.model}, ${bike.color}`, owner, orderId ?? 'no open order']
  const texts = lines.map((line, index) => {
    const size = index === 0 ? 16 : 9
    return `<text x="8" y="${24 + index * 15}" font-family="sans-serif" font-size="${size}">${escapeXml(line)}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${widthMm}mm" viewBox="0 0 200 80">`,
    '<rect x="1" y="1" width="198" height="78" rx="4" fill="white" stroke="black"/>',
    ...texts,
    '</svg>',
  ].join('\n')
}

// Callers choose these texts. Without escapes, a text could contain a script, which some SVG viewers would run.
function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
