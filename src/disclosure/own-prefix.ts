// Splits the prefix of the server's own tools from the options of the strategy.

import { raise } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { DEFAULT_PREFIX } from '../core/names.ts'

interface PrefixAndRest {
  readonly prefix: string
  /** The strategy's own options. */
  readonly rest: unknown
}

export function splitPrefix(options: unknown): PrefixAndRest {
  if (!isRecord(options)) return { prefix: DEFAULT_PREFIX, rest: options }
  const { prefix = DEFAULT_PREFIX, ...rest } = options
  if (typeof prefix === 'string' && /^[a-z][a-z0-9]*$/.test(prefix)) return { prefix, rest }
  return raise('INVALID_OPTIONS', {
    what: 'strategyOptions.prefix',
    reason: 'it is not one lower-case word',
    todo: `Leave it out for '${DEFAULT_PREFIX}', or give a word like 'acme'.`,
  })
}
