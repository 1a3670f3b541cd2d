// Reads options that may be repeated, such as --header and --env.

/** For `Command.option` of commander: collects the values of a repeated option in a list. */
export function collect(value: string, values: readonly string[]): readonly string[] {
  return [...values, value]
}

/** Reads `Name: value`. Undefined if there is no colon, or if the name is not a valid name of an HTTP header. */
export function parseHeader(line: string): readonly [name: string, value: string] | undefined {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? []
  return name === undefined || value === undefined ? undefined : [name, value]
}
