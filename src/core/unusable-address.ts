// The error of a server that cannot listen, because its host or port cannot be used on this machine.

import { errorCode } from './text.ts'

const REASONS = {
  EADDRNOTAVAIL: { option: 'host', textOf: (host: string) => `'${host}' is not an address of this machine` },
  ENOTFOUND: { option: 'host', textOf: (host: string) => `There is no host '${host}'` },
  EAI_AGAIN: { option: 'host', textOf: (host: string) => `The address of '${host}' cannot be looked up` },
  // Windows also reserves some higher ports.
  EACCES: { option: 'port', textOf: (_: string, port: number) => `This program is not allowed to use port ${port}` },
} as const

type Code = keyof typeof REASONS

export class UnusableAddress extends Error {
  override readonly name = 'UnusableAddress'
  /** The error code of Node, which programs check. */
  readonly code: Code
  /** The option that has to be changed. */
  readonly option: 'host' | 'port'
  /** The message without the advice. */
  readonly what: string

  constructor(code: Code, host: string, port: number, cause: unknown) {
    const { option, textOf } = REASONS[code]
    const what = `${textOf(host, port)} (${code})`
    super(`${what}. ${howToCorrect(option, { host: 'the option `host`', port: 'the option `port`' })}`, { cause })
    this.code = code
    this.option = option
    this.what = what
  }
}

/** The code of an error of `listen` or of the lookup before it. Undefined for any other error. */
export function addressFaultIn(error: unknown): Code | undefined {
  const code = errorCode(error)
  const isOfListen =
    error instanceof Error && 'syscall' in error && /^(?:listen|bind|getaddrinfo)$/.test(`${error.syscall}`)
  return isOfListen && code !== undefined && isCode(code) ? code : undefined
}

/** `names` says how the user sets the two options. */
export function howToCorrect(option: 'host' | 'port', names: Readonly<Record<'host' | 'port', string>>): string {
  return option === 'host'
    ? `Leave out ${names.host} to serve on this machine only, or set it to an address of this machine.`
    : `Set ${names.port} to another port of 1024 or higher; 0 takes any free one.`
}

function isCode(code: string): code is Code {
  return Object.hasOwn(REASONS, code)
}
