// Starts one browser for the whole suite. Without chromium the tests are skipped, or fail if TOOLCRIB_REQUIRE_SERVICES
// is set.

import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the browser. Undefined if there is none. */
    browserAddress: string | undefined
  }
}

const CHROMIUM = process.env.TOOLCRIB_CHROMIUM ?? '/usr/bin/chromium'
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export default async function launchBrowser(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!existsSync(CHROMIUM)) {
    const message = `The tests of the inspector need chromium at ${CHROMIUM} (apt-get install chromium, or TOOLCRIB_CHROMIUM).`
    if (process.env.TOOLCRIB_REQUIRE_SERVICES) throw new Error(message)
    console.log(`Skipped: ${message}`)
    project.provide('browserAddress', undefined)
    return undefined
  }
  const server = await chromium.launchServer({ executablePath: CHROMIUM, args: QUIET, host: '127.0.0.1' })
  project.provide('browserAddress', server.wsEndpoint())
  return () => server.close()
}
