// Checks plugins of users: an object with a name, and with the function that makes it a plugin of its kind.

import { raise } from './errors.ts'
import { isRecord } from './is-record.ts'

/** `method` is the function that the plugin must have. Without it, only the name is checked. */
export function isPlugin(value: unknown, method?: string): boolean {
  return findFault(value, method) === undefined
}

interface PluginKind {
  /** The kind of the plugin, such as `store`. */
  readonly what: string
  readonly method: string
  /** An example of a valid plugin, as the next step after an error. */
  readonly todo: string
}

/** Returns the plugin. Raises an error with the fault if it is not a plugin of this kind. */
export function checkPlugin<P>(plugin: P, { what, method, todo }: PluginKind): P {
  const reason = findFault(plugin, method)
  return reason === undefined ? plugin : raise('INVALID_OPTIONS', { what, reason, todo })
}

function findFault(value: unknown, method: string | undefined): string | undefined {
  if (!isRecord(value)) return 'it is not an object'
  if (typeof value.name !== 'string' || value.name === '') return 'it has no name'
  return method === undefined || typeof value[method] === 'function' ? undefined : `it has no function ${method}`
}
