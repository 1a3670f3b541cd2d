// Names of a tool that include its source.

/**
 * `server:tool`. The last colon separates the two, because colons of the tool's name are escaped: source `a` with tool
 * `b:c` and source `a:b` with tool `c` have different ids.
 */
export function toolId(sourceId: string, name: string): string {
  // Most names need no escapes, and the test costs less than a replacement.
  return `${sourceId}:${NEEDS_ESCAPE.test(name) ? name.replace(/[%:]/g, encodeURIComponent) : name}`
}

const NEEDS_ESCAPE = /[%:]/

/** The possible ids of a tool that is written as `server:tool`. The id with the longest server name is first. */
export function idsOf(written: string): readonly string[] {
  const ids: string[] = []
  for (let at = written.lastIndexOf(':'); at > 0; at = written.lastIndexOf(':', at - 1)) {
    ids.push(toolId(written.slice(0, at), written.slice(at + 1)))
  }
  return ids
}

/** The source that `server:tool` or `server__tool` names. If several match, the one with the longest name. */
export function serverIn(written: string, sources: readonly string[]): string | undefined {
  return sources
    .filter((id) => written.startsWith(`${id}:`) || written.startsWith(`${id}__`))
    .toSorted((a, b) => b.length - a.length)[0]
}
