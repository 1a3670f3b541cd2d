// Reads and merges environment variables. Windows ignores the case of their names; other systems do not.

type EnvVariables = Readonly<Record<string, string | undefined>>

/** Undefined if the variable is not set. */
export function readVariable(
  variables: EnvVariables,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (Object.hasOwn(variables, name)) return variables[name]
  if (platform !== 'win32') return undefined
  const wanted = name.toUpperCase()
  const key = Object.keys(variables).find((one) => one.toUpperCase() === wanted)
  return key === undefined ? undefined : variables[key]
}

/** Later layers take precedence. On Windows `Temp` replaces `TEMP`: if both were present, the system would pick one of them. */
export function mergeVariables<T extends string | undefined>(
  layers: readonly Readonly<Record<string, T>>[],
  platform: NodeJS.Platform = process.platform,
): Record<string, T> {
  const merged = new Map<string, readonly [string, T]>()
  for (const [name, value] of layers.flatMap((layer) => Object.entries(layer))) {
    merged.set(platform === 'win32' ? name.toUpperCase() : name, [name, value])
  }
  return Object.fromEntries(merged.values())
}
