// Prints what a file of a project would do once it is approved, as lines and as a JSON document.

import { type ConfigProblem, pathText } from '../../config/problem.ts'
import { faultText } from '../../config/project-config.ts'
import { parseTemplate } from '../../config/references.ts'
import type { Connection, ServerConfig } from '../../config/server-config.ts'
import { serverEntry } from '../../config/write-config.ts'
import { maskSecrets } from '../../config/write-secrets.ts'
import { maskedLine } from '../config/connection-line.ts'
import { ruleLine } from '../config/rule-line.ts'
import type { Output } from '../output/output.ts'
import { oneLine, shortPath, visible, wrap } from '../output/text.ts'
import { textsOf } from '../unset-variables.ts'
import type { TrustFile } from './trust-files.ts'

const IS_CODE =
  'This file is code. Once approved it runs whenever Toolcrib is used in this folder, and it can do anything that you can do: read and change files, start programs, send data.'

export function fileLines(file: TrustFile, home: string, { paint, width }: Output): readonly string[] {
  const { path, source, isCode, servers, rules, parts, packages, hasComputedImports, problems } = file
  const whose = source === 'config' ? "this folder's config" : source
  const paths = (all: readonly string[]) => all.map((one) => oneLine(shortPath(one, home))).join(', ')
  const note = (text: string) => wrap(text, width, '  ')
  const variables = referencesIn(servers)
  return [
    `${paint.bold(oneLine(shortPath(path, home)))} (${whose}, ${stateText(file)})`,
    ...(isCode ? note(IS_CODE) : []),
    ...servers.flatMap(serverLines),
    ...(variables.length === 0 ? [] : note('Variables of yours that it reads, and where they go:')),
    ...variables.map(({ name, where }) => `    ${name} → ${oneLine(where)}`),
    ...(isCode && file.variables.length > 0
      ? note(`Variables that its servers may refer to: ${file.variables.join(', ')}`)
      : []),
    ...(rules.length === 0 ? [] : note('Rules, which can only disable or tag what your own rules leave enabled:')),
    ...rules.map((rule, at) => `    ${at + 1}. ${ruleLine(rule)}`),
    ...(parts.length === 0 ? [] : note(`Part of the approval: ${paths(parts)}`)),
    ...(packages.length === 0
      ? []
      : note(`It imports ${packages.map(oneLine).join(', ')}, which this approval does not cover.`)),
    ...(hasComputedImports ? note('It also loads modules whose names are only known when it runs.') : []),
    ...problemLines(problems, width),
  ]
}

/** `error: discovery.servers.files: …` */
export function problemLines(problems: readonly ConfigProblem[], width: number): readonly string[] {
  return problems
    .filter(({ severity }) => severity !== 'info')
    .flatMap((problem) => wrap(`${problem.severity}: ${oneLine(faultText(problem))}`, width, '  '))
}

/** The whole command line or address, with what it sets, since this is what is approved. */
export function serverLines({ name, connection: given, enabled }: ServerConfig): readonly string[] {
  const connection = masked(given)
  const values = connection.type === 'stdio' ? connection.env : connection.headers
  return [
    `  ${oneLine(visible(name))}${enabled ? '' : ' (switched off)'}`,
    `    ${maskedLine(connection)}`,
    ...Object.entries(values).map(([key, value]) => `      ${oneLine(visible(`${key}: ${value}`))}`),
  ]
}

/**
 * Secrets are hidden, unless they hold what a shell or an interpreter would run: that must not be approved unseen. An
 * argument that only looks like a token is shown as well: `npx -y sk-tools` runs the package of that name.
 */
function masked(connection: Connection): Connection {
  return maskSecrets(connection, (value, isBare) => !isBare && !/[\s;|&`<>(){}[\]\\]/.test(value))
}

/** `not approved`, `changed since you approved it on 2026-01-31`. */
export function stateText({ state, at }: Pick<TrustFile, 'state' | 'at'>): string {
  const on = at === undefined ? '' : ` on ${at.slice(0, 10)}`
  if (state === 'approved') return `approved${on}`
  if (state === 'changed') return `changed since you approved it${on}`
  return state === 'refused' ? 'refused' : 'not approved'
}

/** Never with a secret in it. */
export function fileDocument(file: TrustFile, approved: readonly string[]): object {
  const { path, source, state, at, isCode, servers, rules, parts, packages, problems } = file
  return {
    path,
    source,
    state: approved.includes(path) ? 'approved' : state,
    ...(at === undefined ? {} : { approvedAt: at }),
    code: isCode,
    servers: Object.fromEntries(
      servers.map((server) => [server.name, serverEntry({ ...server, connection: masked(server.connection) })]),
    ),
    variables: isCode ? file.variables : [...new Set(referencesIn(servers).map(({ name }) => name))],
    rules: rules.map(({ origin, ...rule }) => rule),
    parts,
    packages,
    problems,
  }
}

function referencesIn(servers: readonly ServerConfig[]) {
  return servers.flatMap(({ name: server, connection }) =>
    textsOf(connection).flatMap(({ field, text }) =>
      parseTemplate(text).flatMap((part) =>
        typeof part === 'string' ? [] : [{ name: part.name, where: `${server} ${pathText(field)}` }],
      ),
    ),
  )
}
