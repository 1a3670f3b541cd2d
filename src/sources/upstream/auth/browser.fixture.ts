// Test fixture: a browser without a window. It follows redirects and keeps cookies.

export interface Visit {
  readonly status: number
  readonly text: string
  /** Every address that was visited. */
  readonly addresses: readonly string[]
}

export interface BrowserOptions {
  /** Stops before an address and returns it as the last one. */
  stopsAt?(address: URL): boolean
  /** Changes an address before it is visited. */
  change?(address: URL): void
}

const MAX_STEPS = 20

export async function visit(address: string, { stopsAt, change }: BrowserOptions = {}): Promise<Visit> {
  const cookies = new Map<string, string>()
  const addresses: string[] = []
  let url = new URL(address)
  for (let step = 0; step < MAX_STEPS; step++) {
    change?.(url)
    addresses.push(url.href)
    if (stopsAt?.(url) === true) return { status: 0, text: '', addresses }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) return { status: response.status, text: await response.text(), addresses }
    url = new URL(location, url)
  }
  throw new Error(`more than ${MAX_STEPS} redirects: ${addresses.join('\n')}`)
}
