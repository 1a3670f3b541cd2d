// Text to terms: names fall apart at case changes, digits and punctuation, accents and case are folded.

const MAX_CHARACTERS = 100_000
const MAX_TERMS = 2_000

export function tokenize(text: string): string[] {
  const terms = text
    .slice(0, MAX_CHARACTERS)
    // Marks go before as well as after: sorting a long run of them is what makes normalising slow.
    .replace(/\p{M}+/gu, '')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}]+|\p{N}+/gu)
  return (terms ?? []).slice(0, MAX_TERMS)
}
