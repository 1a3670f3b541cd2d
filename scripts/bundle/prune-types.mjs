// Removes the type declarations that the entries of the library do not reach: whole files, and single declarations.

import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Prunes the declarations that `tsc` wrote to the folder. The next build writes all of them again. */
export function pruneTypes(folder, entries) {
  const modules = new Map()
  const moduleAt = (file) => {
    const known = modules.get(file)
    if (known !== undefined) return known
    const module = parseModule(readFileSync(file, 'utf8'), file)
    modules.set(file, module)
    return module
  }
  /** Marks the statements that declare or import a name, and then everything that these statements refer to. */
  const reach = (file, name) => {
    for (const statement of moduleAt(file).byName.get(name) ?? []) {
      const isNew = !statement.reached.has(name)
      statement.reached.add(name)
      if (!isNew) continue
      if (statement.list !== undefined) {
        const target = statement.from === undefined ? file : resolve(file, statement.from)
        if (target !== undefined) reach(target, statement.names.get(name))
      } else if (statement.reached.size === 1) reachAll(file, statement)
    }
  }
  const reachAll = (file, { code }) => {
    for (const [, from, name] of code.matchAll(/import\("([^"]+)"\)\.([\w$]+)/g)) {
      const target = resolve(file, from)
      if (target !== undefined) reach(target, name)
    }
    for (const [name] of code.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)) reach(file, name)
  }
  for (const entry of entries) {
    const file = join(folder, entry)
    for (const { names } of moduleAt(file).statements) for (const name of names.keys()) reach(file, name)
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !entry.name.endsWith('.d.ts')) continue
    const text = printModule(modules.get(path))
    if (text === '') rmSync(path)
    else writeFileSync(path, text)
  }
  removeEmpty(folder)
}

/** The file of a relative import. Undefined for a package. */
function resolve(file, from) {
  if (!from.startsWith('.')) return undefined
  const target = join(dirname(file), from).replace(/\.[jt]s$/, '.d.ts')
  if (!existsSync(target)) throw new Error(`${file} refers to ${from}, which has no declarations.`)
  return target
}

/**
 * Splits a declaration file into its statements. Each begins with a keyword at the start of a line. `names` has the
 * names that a statement declares, imports or exports, each with its original name, which differs if `as` renames it.
 */
function parseModule(text, file) {
  const statements = []
  let comment = ''
  for (const part of text.trimEnd().split(/\n(?=\/|(?:export|import|declare|abstract|interface|type|class|const) )/)) {
    if (part.startsWith('//')) continue
    if (part.startsWith('/*')) comment = `${part}\n`
    else {
      statements.push(parseStatement(comment, part, file))
      comment = ''
    }
  }
  const byName = new Map()
  for (const statement of statements) {
    for (const name of statement.names.keys()) byName.set(name, [...(byName.get(name) ?? []), statement])
  }
  return { statements, byName }
}

function parseStatement(comment, text, file) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '')
  const reached = new Set()
  const [, keyword, list, from] = /^((?:import|export)(?: type)?) \{([^}]*)\}(?: from '([^']+)')?;$/.exec(code) ?? []
  if (list !== undefined) {
    const names = list.split(',').flatMap((entry) => {
      const [theirs, ours = theirs] = entry
        .trim()
        .replace(/^type /, '')
        .split(' as ')
      return ours === '' ? [] : [[ours, theirs]]
    })
    return { keyword, list, from, names: new Map(names), code, reached }
  }
  const [, name] =
    /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const) ([\w$]+)/.exec(code) ?? []
  if (name === undefined) throw new Error(`${file} has a statement of an unknown form: ${text}`)
  return { names: new Map([[name, name]]), code, text: `${comment}${text}`, reached }
}

function printModule(module) {
  const statements = module?.statements ?? []
  if (statements.every(({ reached }) => reached.size === 0)) return ''
  const lines = statements.flatMap(({ keyword, list, from, text, names, reached }) => {
    // An empty export makes the file a module.
    if (reached.size === 0 && (list === undefined || names.size > 0)) return []
    if (list === undefined) return [text]
    const kept = list.split(',').filter((entry) => reached.has(entry.trim().replace(/^(?:type |.* as )+/, '')))
    return [`${keyword} {${kept.join(',').trimEnd()} }${from === undefined ? '' : ` from '${from}'`};`]
  })
  return `${lines.join('\n')}\n`
}

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const path = join(folder, entry.name)
    removeEmpty(path)
    if (readdirSync(path).length === 0) rmdirSync(path)
  }
}
