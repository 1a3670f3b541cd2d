// The files that `npm run docs` writes, with their content.

import { configJsonSchema } from './json-schema.ts'
import { configPage } from './page.ts'

export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/configuration.md', configPage()],
    ['schema/config.schema.json', `${JSON.stringify(configJsonSchema(), null, 2)}\n`],
  ])
}
