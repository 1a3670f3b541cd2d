// The names of entries in Redis: `<prefix>:1:<part>:<key>`. The number is the version of this layout.

const LAYOUT = 1
/**
 * The text of a key before the first of these characters is its group. Each group has its own channel, so a watcher
 * receives only the changes of groups that its prefix can match.
 */
const SEPARATOR = /[/:]/

export interface EntryKeys {
  toName(key: string): string
  /** Undefined for a name that is not an entry of this part. */
  toKey(name: string): string | undefined
  /** A pattern for SCAN. It can match other keys too, if the prefix ends with half a surrogate pair. */
  pattern(prefix: string): string
  /** The channel on which changes of the key are published. */
  channelOf(key: string): string
  /** The channel, or the pattern of channels, on which all changes of keys with this prefix are published. */
  channelsFor(prefix: string): { readonly channel: string; readonly isPattern: boolean }
}

export function entryKeys(prefix: string, part: string): EntryKeys {
  const start = `${prefix}:${LAYOUT}:${part}:`
  const channels = `${prefix}:${LAYOUT}:changed:${part}:`
  const groupOf = (key: string) => escapeUnits(key.slice(0, key.search(SEPARATOR)))
  return {
    toName: (key) => start + escapeUnits(key),
    toKey: (name) => (name.startsWith(start) ? unescapeUnits(name.slice(start.length)) : undefined),
    pattern: (wanted) => `${escapeGlob(start + escapeUnits(wholeCharacters(wanted)))}*`,
    // A key without a separator is a group of its own.
    channelOf: (key) => channels + (SEPARATOR.test(key) ? groupOf(key) : escapeUnits(key)),
    channelsFor: (wanted) =>
      SEPARATOR.test(wanted)
        ? { channel: channels + groupOf(wanted), isPattern: false }
        : { channel: `${escapeGlob(channels + escapeUnits(wholeCharacters(wanted)))}*`, isPattern: true },
  }
}

/** The channel of messages from one gateway to others. */
export function topicChannel(prefix: string, topic: string): string {
  return `${prefix}:${LAYOUT}:topic:${escapeUnits(topic)}`
}

const LONE_SURROGATE_OR_PERCENT = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|%/g

// UTF-8 cannot represent half a surrogate pair. The escapes keep different keys different.
function escapeUnits(text: string): string {
  return text.replace(LONE_SURROGATE_OR_PERCENT, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function unescapeUnits(text: string): string {
  return text.replace(/%([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Removes half a surrogate pair at the end, because the other half may follow in the key. */
function wholeCharacters(prefix: string): string {
  return /[\ud800-\udbff]$/.test(prefix) ? prefix.slice(0, -1) : prefix
}

function escapeGlob(text: string): string {
  return text.replace(/[*?[\]\\^]/g, '\\$&')
}
