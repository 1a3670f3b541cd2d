// Formats the changes that a setup command will make, and those that it has made.

import type { SourceInput } from '../../config/config.ts'
import { type ConfigProblem, faultText } from '../../config/problem.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import { lineDiff } from '../../core/line-diff.ts'
import type { ConfigPlan } from '../../setup/config-plan.ts'
import { applyEdits } from '../../setup/files/write-json.ts'
import { createSecretMask } from '../../setup/hide-secrets.ts'
import type { WrittenPlan } from '../../setup/write-plan.ts'
import type { Output, Paint } from '../output/output.ts'
import { oneLine, plain } from '../output/text.ts'

export interface FileChange {
  readonly file: string
  readonly before: string
  readonly after: string
}

/** The diff of one file. `secrets` are values in the texts that must be masked. */
export async function changeLines(
  { file, before, after }: FileChange,
  { paint, path }: Output,
  secrets: readonly string[],
): Promise<readonly string[]> {
  if (before === after) return []
  const hide = await createSecretMask(file, [before, after], secrets)
  const shown = await readableChange({ file, before, after })
  return [
    `${paint.bold(path(file))}${before === '' ? ' (new)' : ''}`,
    ...(shown.isLaidOut ? [paint.dim('(shown with line breaks; the file keeps its own layout)')] : []),
    ...diffLines(shown.before, shown.after, paint, hide),
    '',
  ]
}

/** Notes about servers that are in the config already, renamed or left out, about clients, and about secrets. */
export function planNotes(plan: ConfigPlan, output: Output): readonly string[] {
  const { clashing, unnameable, present, secrets, sources, isNew } = plan
  const names = (all: readonly string[]) => all.map(oneLine).join(', ')
  const added = new Set(plan.added.map(({ name }) => name))
  const renamed = plan.added.filter(({ writtenName }) => writtenName !== undefined)
  const notes: readonly (readonly [what: string, names: readonly string[]])[] = [
    ['Already in the config', present.filter(({ name }) => !added.has(name)).map(nameInConfig)],
    ['Imported under another name, because a different server has the same name', renamed.map(nameInConfig)],
    ['Left out, because another server with this name comes first in the same file', clashing.map(({ name }) => name)],
    ['Left out, because a config cannot contain a server with this name', unnameable.map(({ name }) => name)],
    [`${isNew ? 'Still served' : 'Served'} from the files of these clients`, sources.map(sourceName)],
    ['Secrets that the config only refers to', secrets.map(({ name }) => `\${${name}}`)],
  ]
  return notes.flatMap(([what, all]) => (all.length === 0 ? [] : output.wrap(`${what}: ${names(all)}`)))
}

/** For example `github as github-cursor`, or one name if both are the same. */
function nameInConfig({ name, writtenName }: ServerConfig): string {
  return writtenName === undefined ? name : `${writtenName} as ${name}`
}

/** The errors and warnings about a file, for example `error: discovery.servers.files: …`. */
export function problemLines(problems: readonly ConfigProblem[], output: Output, indent = ''): readonly string[] {
  return problems
    .filter(({ severity }) => severity !== 'info')
    .flatMap((problem) => output.wrap(`${problem.severity}: ${oneLine(faultText(problem))}`, indent))
}

function sourceName({ type, scope }: SourceInput): string {
  return scope === 'project' ? `${type} (project)` : type
}

export function writtenLines(
  { file, backup, secretsFile, toExport = [] }: Pick<WrittenPlan, 'file'> & Partial<WrittenPlan>,
  { paint, path }: Output,
): readonly string[] {
  return [
    `${paint.green('✓')} Wrote ${path(file)}`,
    ...(backup === undefined ? [] : [`  Backup of the old file: ${path(backup)}`]),
    ...(secretsFile === undefined ? [] : [`  Secret values: ${path(secretsFile)} (readable only by you)`]),
    ...(toExport.length === 0 ? [] : [`  Export these before you start the gateway: ${toExport.join(', ')}`]),
  ]
}

/** Longer lines are hard to read. */
const MAX_LINE_CHARS = 160
/** Formatting a longer text takes too long. */
const MAX_TEXT_CHARS = 50_000_000

/**
 * If a JSON text is on a single line, or a changed line of it is very long, returns the change with one value per line.
 * `isLaidOut` then tells that the lines differ from those of the file.
 */
async function readableChange({ file, before, after }: FileChange) {
  const isOneLine = before.trim() !== '' && !before.trim().includes('\n')
  const hasLongLines = isOneLine || differing(before, after).some((line) => line.length > MAX_LINE_CHARS)
  if (!hasLongLines || /\.(?:toml|ya?ml)$/i.test(file) || before.length + after.length > MAX_TEXT_CHARS) {
    return { before, after, isLaidOut: false }
  }
  const { format } = await import('jsonc-parser')
  const laidOut = (text: string) =>
    applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2, eol: '\n' }))
  return { before: laidOut(before), after: laidOut(after), isLaidOut: true }
}

/** Lines that only one of the two texts has. */
function differing(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const [inOld, inNow] = [new Set(old), new Set(now)]
  return [...old.filter((line) => !inNow.has(line)), ...now.filter((line) => !inOld.has(line))]
}

/** The difference of two texts, with some lines of context. `hide` masks secrets in a line. */
export function diffLines(
  before: string,
  after: string,
  paint: Paint,
  hide: (line: string) => string,
): readonly string[] {
  return lineDiff(before, after).map(({ sign, line }) => {
    if (sign === '…') return paint.dim('  …')
    const shown = `${sign} ${plain(hide(line.replace(/\r$/, '')))}`
    return sign === '+' ? paint.green(shown) : sign === '-' ? paint.red(shown) : paint.dim(shown)
  })
}
