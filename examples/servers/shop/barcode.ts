// Draws a text as a Code 39 barcode: nine bars and gaps per character, three of them wide.

import { createPicture, type Rgb } from '../../shared/png.ts'

const PALETTE: readonly Rgb[] = [
  [255, 255, 255],
  [0, 0, 0],
]
const [NARROW, WIDE, QUIET, HEIGHT] = [2, 5, 20, 70]
const START_AND_STOP = '*'

// The standard's table: each column has ten characters, which differ in their bars; the gaps identify the column.
const BARS = ['10001', '01001', '11000', '00101', '10100', '01100', '00011', '10010', '01010', '00110']
const COLUMNS = [
  { characters: '1234567890', gaps: '0100' },
  { characters: 'ABCDEFGHIJ', gaps: '0010' },
  { characters: 'KLMNOPQRST', gaps: '0001' },
  { characters: 'UVWXYZ-. *', gaps: '1000' },
]

/** Supports capitals, digits, hyphen, point and space. */
export function drawBarcode(text: string): string {
  const widths = [...`${START_AND_STOP}${text}${START_AND_STOP}`].flatMap((character) => [
    ...elementsOf(character),
    NARROW,
  ])
  const picture = createPicture(
    widths.reduce((sum, width) => sum + width, 2 * QUIET),
    HEIGHT,
    PALETTE,
  )
  let x = QUIET
  widths.forEach((width, index) => {
    // Bars and gaps alternate. Each character has ten elements, so every character starts with a bar.
    if (index % 2 === 0) picture.fill(x, 0, width, HEIGHT, 1)
    x += width
  })
  return picture.toBase64()
}

function elementsOf(character: string): number[] {
  const column = COLUMNS.find(({ characters }) => characters.includes(character))
  const bars = BARS[column?.characters.indexOf(character) ?? -1]
  if (column === undefined || bars === undefined) throw new Error(`Code 39 has no '${character}'.`)
  const width = (flag: string | undefined) => (flag === '1' ? WIDE : NARROW)
  return Array.from({ length: 9 }, (_, index) => width((index % 2 === 0 ? bars : column.gaps)[index >> 1]))
}
