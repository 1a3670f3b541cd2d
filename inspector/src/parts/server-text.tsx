// Texts that a server wrote: always text and never markup, with hidden characters made visible.

import type { ComponentChildren } from 'preact'

/**
 * Control and format characters, and other characters without a shape. A joiner after a letter or an emoji, and a
 * variation selector after a symbol or an ideograph, are not included: spelling and emoji need them.
 */
const HIDDEN = new RegExp(
  [
    '[^\\P{Cc}\\n\\r\\t]',
    '(?![\\u200c\\u200d\\ufe00-\\ufe0f])[\\p{Cf}\\p{DI}]',
    '(?<![\\p{L}\\p{M}\\p{ExtPict}\\p{EMod}\\ufe0f])[\\u200c\\u200d]',
    '(?<![\\p{ExtPict}\\p{S}\\p{sc=Han}0-9#*])[\\ufe00-\\ufe0f]',
  ].join('|'),
  'gu',
)

/** `bdi` isolates the writing direction of this text from the text beside it. */
export function ServerText({ text }: { readonly text: string }) {
  return <bdi>{showHidden(text)}</bdi>
}

/** Replaces each hidden character with its code point in a frame. */
export function showHidden(text: string): ComponentChildren {
  if (text.search(HIDDEN) < 0) return text
  const parts: ComponentChildren[] = []
  let end = 0
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    parts.push(text.slice(end, index), <span class="hidden-character">{code}</span>)
    end = index + character.length
  }
  parts.push(text.slice(end))
  return parts
}

/** Shows an address, as a link if it is http or https. The text of the link is always the whole address. */
export function AddressText({ address }: { readonly address: string }) {
  const isWeb = /^https?:\/\//i.test(address) && URL.canParse(address)
  if (!isWeb)
    return (
      <code class="address">
        <ServerText text={address} />
      </code>
    )
  return (
    <a class="address" href={address} target="_blank" rel="noopener noreferrer nofollow">
      <ServerText text={address} />
    </a>
  )
}
