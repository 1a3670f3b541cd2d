// Parses the value of --port.

import { raise } from '../../core/errors.ts'

/** Undefined if --port is not given. */
export function portFrom(text: string | undefined, command: string): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text)
  return raise('INVALID_ARGUMENTS', {
    reason: `--port takes a number from 0 (any free port) to 65535, not '${text}'`,
    command,
  })
}
