// The public address of the gateway: the settings of the config for the HTTP door.

import type { Config } from '../../../config/config.ts'
import type { AddressOptions } from '../../../config/http-address.ts'
import type { LoadedConfig } from '../../../config/load/load.ts'
import { raise } from '../../../core/errors.ts'
import { messageOf } from '../../../core/text.ts'
import type { Door } from '../../../front/doors.ts'

export function publicAddress({ http }: Pick<Config, 'http'>): AddressOptions {
  const { allowedHosts, allowedOrigins, trustProxy, basePath, tls } = http
  return {
    allowedHosts,
    allowedOrigins,
    trustProxy,
    basePath,
    ...(tls === undefined ? {} : { tls: { cert: tls.cert, key: tls.key } }),
  }
}

/** A public name without tokens is refused. The address before the edit then stays in force. */
export function readdress(
  door: Door | undefined,
  { config }: LoadedConfig,
  onProblem: (message: string) => void,
): void {
  try {
    door?.readdress?.(publicAddress(config))
  } catch (error) {
    onProblem(messageOf(error))
  }
}

/**
 * A setting that cannot be read is left out at the start. Without `tls`, clients would send their tokens in clear text;
 * so the gateway does not start over HTTP with an unknown or invalid key in `http`.
 */
export function requireReadableAddress({ problems, origin }: LoadedConfig): void {
  const wrong = problems.find(({ path, severity }) => severity === 'error' && /^http\.(?!tokens\b)/.test(path))
  if (wrong === undefined) return
  const { file, path, message } = wrong
  raise('CONFIG_INVALID', {
    file,
    reason: `${path}: ${message}`,
    given: origin.kind === 'explicit' ? origin.file : undefined,
  })
}
