// Writes the version of package.json to the other files that have it. `npm run release` runs it after `changeset version`.

import { readFileSync, writeFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
for (const file of ['server.json', 'mcpb/manifest.json']) {
  // The pattern matches the fields named `version`. It does not match `manifest_version` or the path of a schema.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/"version": "[^"]*"/g, `"version": "${version}"`))
}
