// What a tool is called where its source matters.

/** `server:tool`. Source `a` with `b:c` and source `a:b` with `c` are not the same tool: colons of a source are escaped. */
export function toolId(sourceId: string, name: string): string {
  return `${sourceId.replace(/[%:]/g, encodeURIComponent)}:${name}`
}
