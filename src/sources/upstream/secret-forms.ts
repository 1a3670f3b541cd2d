// The forms in which a secret can occur in a text: unchanged, and encoded as JSON, URL or base64.

/** A shorter base64 text can occur by chance. */
const MIN_BASE64_CHARS = 8

/** All forms without duplicates. */
export function secretForms(secrets: readonly string[]): readonly string[] {
  return [
    ...new Set(secrets.flatMap((secret) => [secret, ...inJson(secret), ...inAddress(secret), ...inBase64(secret)])),
  ]
}

/** Without quotes. Also escaped twice, because an error often contains JSON inside JSON. */
function inJson(secret: string): readonly string[] {
  const plain = escaped(secret)
  const once = [
    plain,
    plain.replace(/[^ -~]/g, unicodeEscape),
    plain.replaceAll('/', '\\/'),
    // Used by the encoders of Go and of web frameworks for texts in HTML pages.
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

/** Inside a longer encoded text, the base64 form depends on the number of preceding bytes, modulo 3. */
function inBase64(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    // Leaves out the characters that also contain bits of the bytes before or after the secret.
    const own = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    return own.length < MIN_BASE64_CHARS ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
