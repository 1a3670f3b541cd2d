// Warns of tool names that a person or a model can confuse with others: the names of our own tools, and look-alikes.

/** The gateway's own tools. A server's tool with such a name can be called only together with its server. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...['list_mcp_servers', 'search_tools', 'list_tools', 'get_tool_details', 'execute_tool', 'manage_tools'],
  ...['list_tool_categories', 'get_category_tools', 'get_tool_schema'],
])
const OWN_PREFIX = 'afd-'

/** The letters of scripts with Latin look-alikes, and the full-width Latin letters. Other letters cause no warning. */
const LOOK_ALIKE =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\uff21-\uff3a\uff41-\uff5a]/gu
const LATIN = /\p{Script=Latin}/u

export function nameWarnings(name: string): readonly string[] {
  return [...warnOfOwnName(name), ...warnOfLookAlikes(name)]
}

function warnOfOwnName(name: string): readonly string[] {
  if (!OWN_NAMES.has(name) && !name.startsWith(OWN_PREFIX)) return []
  return ['it has the name of a tool of Toolcrib itself; it is only called together with its server']
}

function warnOfLookAlikes(name: string): readonly string[] {
  const letters = [...new Set(name.match(LOOK_ALIKE) ?? [])]
  // A name without Latin letters is a word of another language.
  if (letters.length === 0 || !LATIN.test(name)) return []
  const codes = letters.map((letter) => `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`)
  return [`its name mixes Latin letters with letters of another script that look alike: ${codes.join(', ')}`]
}
