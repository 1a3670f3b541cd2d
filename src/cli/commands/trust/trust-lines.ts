// Formats what a project file would do after its approval, as lines and as a JSON document.

import { kindOf, textsOf } from '../../../config/connection-kinds.ts'
import { pathText } from '../../../config/problem.ts'
import { parseTemplate } from '../../../config/references.ts'
import { type Connection, programIn, type ServerConfig } from '../../../config/server-config.ts'
import { ruleText } from '../../../rules/rules.ts'
import { serverEntry } from '../../../setup/files/write-config.ts'
import { maskSecrets } from '../../../setup/files/write-secrets.ts'
import { problemLines } from '../../config-changes/plan-lines.ts'
import { maskedLine } from '../../output/config-lines.ts'
import type { Output } from '../../output/output.ts'
import { oneLine, visible } from '../../output/text.ts'
import type { TrustFile } from './trust-files.ts'

const CODE_WARNING =
  'This file is code. After your approval it runs whenever Toolcrib is used in this folder. It can do everything that you can do: read and change files, start programs, send data.'

const INHERITED_VARIABLES =
  'the variables of your environment, except those in secrets.env and those that only other servers refer to.'
const ALLOWED_VARIABLES = 'may set these variables, which can make a program run other code:'

export function fileLines(file: TrustFile, output: Output): readonly string[] {
  const { path, source, isCode, servers, rules, parts, packages, hasComputedImports, problems } = file
  const whose = source === 'config' ? "this folder's config" : source
  const note = (text: string) => output.wrap(text, '  ')
  const variables = referencesIn(servers)
  return [
    `${output.paint.bold(output.path(path))} (${whose}, ${stateText(file)})`,
    ...(isCode ? note(CODE_WARNING) : []),
    ...servers.flatMap(serverLines),
    ...inheritedBy(servers).flatMap(note),
    ...allowedIn(servers).flatMap(({ server, names }) => note(`'${oneLine(server)}' ${ALLOWED_VARIABLES} ${names}`)),
    ...(variables.length === 0 ? [] : note('It reads these variables of yours and passes them to:')),
    ...variables.map(({ name, where }) => `    ${name} → ${oneLine(where)}`),
    ...(isCode && file.variables.length > 0
      ? note(`Variables that its servers may refer to: ${file.variables.join(', ')}`)
      : []),
    ...(rules.length === 0
      ? []
      : note('Its rules can only disable, tag or categorize tools that your own rules leave enabled:')),
    ...rules.map((rule, at) => `    ${at + 1}. ${oneLine(ruleText(rule))}`),
    ...(parts.length === 0 ? [] : note(`The approval covers: ${parts.map(output.path).join(', ')}`)),
    ...(packages.length === 0
      ? []
      : note(`It imports ${packages.map(oneLine).join(', ')}, which the approval does not cover.`)),
    ...(hasComputedImports ? note('It also loads modules with names that are known only when it runs.') : []),
    ...problemLines(problems, output, '  '),
  ]
}

/** The whole command line or address with its variables or headers, because this is what the user approves. */
export function serverLines({ name, connection: given, enabled }: ServerConfig): readonly string[] {
  const connection = maskForReview(given)
  const values = kindOf(connection).values(connection)
  return [
    `  ${oneLine(visible(name))}${enabled ? '' : ' (disabled)'}`,
    `    ${maskedLine(connection)}`,
    ...Object.entries(values).map(([key, value]) => `      ${oneLine(visible(`${key}: ${value}`))}`),
  ]
}

/**
 * Masks secrets, except values with characters that a shell or an interpreter could run: the user must see those. An
 * argument that only looks like a token is shown too: `npx -y sk-tools` runs the package with that name.
 */
function maskForReview(connection: Connection): Connection {
  return maskSecrets(connection, (value, isBare) => !isBare && !/[\s;|&`<>(){}[\]\\]/.test(value))
}

/** For example `not approved` or `changed since you approved it on 2026-01-31`. */
function stateText({ state, at }: Pick<TrustFile, 'state' | 'at'>): string {
  const on = at === undefined ? '' : ` on ${at.slice(0, 10)}`
  if (state === 'approved') return `approved${on}`
  if (state === 'changed') return `changed since you approved it${on}`
  return state === 'refused' ? 'refused' : 'not approved'
}

/** Secrets are masked as in the lines, see `maskForReview`. */
export function fileDocument(file: TrustFile, approved: readonly string[]): object {
  const { path, source, state, at, isCode, servers, rules, parts, packages, problems } = file
  return {
    path,
    source,
    state: approved.includes(path) ? 'approved' : state,
    ...(at === undefined ? {} : { approvedAt: at }),
    code: isCode,
    servers: Object.fromEntries(
      servers.map((server) => [server.name, serverEntry({ ...server, connection: maskForReview(server.connection) })]),
    ),
    variables: isCode ? file.variables : [...new Set(referencesIn(servers).map(({ name }) => name))],
    rules: rules.map(({ origin, ...rule }) => rule),
    parts,
    packages,
    problems,
  }
}

/** A server without `inheritEnv` gets what the user's own config says, or few variables if it has `perPrincipal`. */
function inheritedBy(servers: readonly ServerConfig[]): readonly string[] {
  const settings = servers.flatMap(({ connection, perPrincipal }) => {
    const program = programIn(connection)
    return program === undefined ? [] : [program.inheritEnv ?? (perPrincipal === true ? false : undefined)]
  })
  if (settings.includes(true)) return [`Its servers get ${INHERITED_VARIABLES}`]
  if (!settings.includes(undefined)) return []
  return [`Unless your config limits \`inheritEnv\`, its servers get ${INHERITED_VARIABLES}`]
}

function allowedIn(servers: readonly ServerConfig[]) {
  return servers.flatMap(({ name: server, connection }) => {
    const allowed = programIn(connection)?.allowEnv ?? []
    return allowed.length === 0 ? [] : [{ server, names: allowed.map(oneLine).join(', ') }]
  })
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
