import { expect, it } from 'vitest'
import { prepareConnection } from './prepare-connection.ts'

const reference = (name: string) => `\${${name}}`
const needing = (...names: readonly string[]) =>
  prepareConnection({ type: 'stdio', command: 'x', args: names.map(reference), env: {} }, {})

it('lists the variables that are not set, and how to fix that', async () => {
  await expect(needing('A')).rejects.toThrow(
    `the variable 'A' is not set; set it before starting, or give a default as in ${reference('A:-value')}`,
  )
  await expect(needing('A', 'B')).rejects.toThrow(
    `the variables 'A', 'B' are not set; set them before starting, or give a default as in ${reference('A:-value')}`,
  )
})
