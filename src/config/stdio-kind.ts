// The connection kind `stdio`: programs that the gateway starts and reaches over their stdin and stdout.

import { defined } from '../core/defined.ts'
import { shellWord } from '../core/text.ts'
import type { ConnectionKind, Program } from './connection-kind.ts'

export interface StdioConnection extends Program {
  /** The server talks over its stdin and stdout. */
  readonly type: 'stdio'
}

export const stdioKind: ConnectionKind<StdioConnection> = {
  words: ['stdio', 'local'],
  field: 'command',
  fieldText: 'a command',
  targetLabel: 'Command',
  advice: {
    configured: 'Run its command line yourself and fix the error it prints.',
    wrapped: 'check its command line, and run it by hand to see what it says',
  },
  idleMs: 600_000,
  isProcess: true,
  // Most programs only support the legacy era, and some exit when they get an unknown request. A program that supports
  // both eras answers legacy calls faster.
  handshakes: ['initialize', 'discover'],
  isMeant: () => true,
  build(fields, { report, translate, translateValues, resolvePath }) {
    if (fields.auth !== undefined) {
      report('auth', { expected: "a server with a 'url'", found: "a server with a 'command'" })
    }
    const { args = [], cwd, envFile, inheritEnv, allowEnv } = fields
    const program = translate(fields.command ?? '', 'command')
    return defined({
      type: 'stdio' as const,
      command: program.startsWith('~') ? resolvePath(program) : program,
      args: args.map((text, index) => translate(text, 'args', index)),
      env: translateValues('env'),
      cwd: cwd === undefined ? undefined : resolvePath(translate(cwd, 'cwd')),
      envFile: envFile === undefined ? undefined : resolvePath(translate(envFile, 'envFile')),
      inheritEnv,
      allowEnv,
    })
  },
  entry: ({ command, args, env, cwd, envFile, inheritEnv, allowEnv }) =>
    defined({
      command,
      args: args.length === 0 ? undefined : args,
      env: Object.keys(env).length === 0 ? undefined : env,
      cwd,
      envFile,
      inheritEnv,
      allowEnv,
    }),
  mapTexts(connection, change) {
    const { command, args, env, cwd, envFile } = connection
    return {
      ...connection,
      command: change(command, { field: ['command'], role: 'program' }),
      args: args.map((text, at) =>
        change(text, { field: ['args', at], role: 'argument', ...(at === 0 ? {} : { before: args[at - 1] ?? '' }) }),
      ),
      env: Object.fromEntries(
        Object.entries(env).map(([name, text]) => [name, change(text, { field: ['env', name], role: 'value' })]),
      ),
      ...defined({
        cwd: cwd === undefined ? undefined : change(cwd, { field: ['cwd'], role: 'program' }),
        envFile: envFile === undefined ? undefined : change(envFile, { field: ['envFile'], role: 'setting' }),
      }),
    }
  },
  values: ({ env }) => env,
  summarize({ command, args, env, cwd, envFile, inheritEnv, allowEnv = [] }) {
    const names = Object.keys(env)
    const notes = [
      ...(names.length === 0 ? [] : [`variables: ${names.join(', ')}`]),
      ...(envFile === undefined ? [] : [`variables from ${envFile}`]),
      ...(allowEnv.length === 0 ? [] : [`allowEnv: ${allowEnv.join(', ')}`]),
      ...(inheritEnv === undefined
        ? []
        : [`inheritEnv: ${Array.isArray(inheritEnv) ? inheritEnv.join(', ') : inheritEnv}`]),
      ...(cwd === undefined ? [] : [`in ${cwd}`]),
    ]
    return { target: [command, ...args].map(quoted).join(' '), notes }
  },
  /** `npx -y server@1.2.3 /folder` becomes `npx server`, because a new version must not count as a new server. */
  stableTarget({ command, args = [] }) {
    const packageName = args.find((arg) => !arg.startsWith('-')) ?? ''
    return `${command} ${packageName.replace(/(?<=.)@[^/@]*$/, '').replace(/(?:==|>=|~=).*$/, '')}`.trim()
  },
}

/** Quotes a word for a shell, except references such as `${TOKEN}`, which people must recognise. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~${}-]+$/.test(word) ? word : shellWord(word)
}
