// Recognises the loopback addresses, by which a machine reaches itself.

/** True for `localhost` and for loopback addresses, as they are in the `hostname` of a URL or in a config. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/.test(host)
}
