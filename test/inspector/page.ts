// Opens the inspector page of a gateway in the browser of the suite, and watches what the page does.

import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, onTestFinished, vi } from 'vitest'
import { openGateway, type RunningGateway, type TestGatewayOptions } from '../e2e/gateway/harness.ts'

const browserAddress = inject('browserAddress')
export const hasBrowser = browserAddress !== undefined

/** The page waits for the gateway, and the gateway for its servers. A busy machine needs a while for both. */
const WAIT_MS = 20_000

export interface InspectorPage {
  readonly page: Page
  /** Goes to a route, for example `#/tools`, and waits for its heading. */
  visit(route: string): Promise<void>
  /** Since the start: console errors and warnings, errors of the page, dialogs, and requests to other origins. */
  readonly faults: readonly string[]
}

export interface PageOptions {
  /** Undefined: the token of the gateway. Null: no token. */
  readonly token?: string | null
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  /** Console errors that a test expects, such as the status of a refused request. */
  readonly expected?: RegExp
}

let connected: Promise<Browser> | undefined

function browser(): Promise<Browser> {
  connected ??= chromium.connect(browserAddress ?? '')
  return connected
}

/** A gateway over HTTP for all tests of a suite. */
export function useInspectedGateway(options: () => Omit<TestGatewayOptions, 'door'>): () => RunningGateway {
  let running: RunningGateway | undefined
  beforeAll(async () => {
    if (hasBrowser) running = await openGateway({ ...options(), door: 'http' })
  })
  afterAll(() => running?.close())
  return () => {
    if (running === undefined) throw new Error('The gateway is not running.')
    return running
  }
}

/** The address of the page: the folder of the MCP endpoint. */
export function pageAddress(gateway: RunningGateway): string {
  return new URL('.', gateway.url).href
}

/** Opens the page in a context of its own, and closes it after the test. Fails the test if the page has a fault. */
export async function openPage(gateway: RunningGateway, options: PageOptions = {}): Promise<InspectorPage> {
  const { token = gateway.token ?? null, theme = 'light', width = 1_440, height = 900, expected } = options
  const context = await (await browser()).newContext({ viewport: { width, height }, colorScheme: theme })
  context.setDefaultTimeout(WAIT_MS)
  const address = pageAddress(gateway)
  const faults = watch(context, new URL(address).origin, expected)
  onTestFinished(async () => {
    await context.close()
    expect(faults, 'faults of the page').toEqual([])
  })
  const page = await context.newPage()
  await page.goto(token === null ? address : `${address}#token=${token}`)
  await page.locator('h1').waitFor()
  return {
    page,
    faults,
    async visit(route) {
      await page.goto(address + route)
      await page.locator('h1').waitFor()
      await page.locator('.skeleton').waitFor({ state: 'detached' })
    },
  }
}

function watch(context: BrowserContext, origin: string, expected: RegExp | undefined): readonly string[] {
  const faults: string[] = []
  context.on('console', (message) => {
    const text = message.text()
    if (['error', 'warning'].includes(message.type()) && expected?.test(text) !== true) faults.push(text)
  })
  context.on('weberror', (error) => faults.push(String(error.error())))
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:' && url.origin !== origin) faults.push(`request to ${request.url()}`)
  })
  context.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return faults
}

/** Waits until the catalog has at least `count` tools. A gateway lists its servers in the background. */
export async function untilKnown(gateway: RunningGateway, count: number): Promise<void> {
  const headers = { authorization: `Bearer ${gateway.token}` }
  const known = async () => {
    const response = await fetch(new URL('api/tools', pageAddress(gateway)), { headers })
    const { tools } = (await response.json()) as { tools: readonly unknown[] } // the API's own form
    return tools.length >= count
  }
  await vi.waitUntil(known, { timeout: 60_000, interval: 100 })
}
