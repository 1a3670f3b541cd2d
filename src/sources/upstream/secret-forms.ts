// The forms in which a secret turns up in other texts: as it is, and as JSON, addresses and base64 write it.

/** Fewer characters of base64 occur by chance. */
const MIN_BASE64_CHARS = 8

/** All forms, without repetition. */
export function secretForms(secrets: readonly string[]): readonly string[] {
  return [
    ...new Set(secrets.flatMap((secret) => [secret, ...inJson(secret), ...inAddress(secret), ...inBase64(secret)])),
  ]
}

/** Without quotes, also twice: an error often carries JSON inside a text that is itself JSON. */
function inJson(secret: string): readonly string[] {
  const plain = escaped(secret)
  const once = [
    plain,
    plain.replace(/[^ -~]/g, unicodeEscape),
    plain.replaceAll('/', '\\/'),
    // The encoders of Go and of web frameworks, for texts that end up in a page.
    plain.replace(/[&<>\u2028\u2029]/g, unicodeEscape),
    plain.replace(/[&<>'=+\u2028\u2029]/g, unicodeEscape),
  ]
  return [...once, ...once.map(escaped)]
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function inAddress(secret: string): readonly string[] {
  const usual = encodeURIComponent(Buffer.from(secret).toString())
  const strict = usual.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const forms = [usual, strict, strict.replaceAll('%20', '+')]
  return [...forms, ...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))]
}

/** Where the secret is part of a longer text that is encoded, its form depends on what is left of it, modulo 3. */
function inBase64(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    // Characters that hold bits of a neighbour as well are left out.
    const own = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    return own.length < MIN_BASE64_CHARS ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
