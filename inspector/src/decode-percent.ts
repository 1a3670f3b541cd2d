// Decodes a part of an address. A text that is not valid percent-encoding stays as it is.

export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
