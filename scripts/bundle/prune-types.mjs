// Removes the type declarations that the entries of the library do not reach.

import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** `tsc` writes the declarations of all sources. It writes a removed file again in the next build. */
export function pruneTypes(folder, entries) {
  const reached = new Set()
  const visit = (file) => {
    if (reached.has(file)) return
    reached.add(file)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.{1,2}\/[^'"]+)['"]/g)) {
      const target = join(dirname(file), path).replace(/\.[jt]s$/, '.d.ts')
      if (existsSync(target)) visit(target)
      else throw new Error(`${file} refers to ${path}, which has no declarations.`)
    }
  }
  for (const entry of entries) visit(join(folder, entry))
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && entry.name.endsWith('.d.ts') && !reached.has(path)) rmSync(path)
  }
  removeEmpty(folder)
}

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const path = join(folder, entry.name)
    removeEmpty(path)
    if (readdirSync(path).length === 0) rmdirSync(path)
  }
}
