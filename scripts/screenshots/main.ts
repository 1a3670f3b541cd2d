// Takes pictures of every view of the inspector: three widths and two themes, into build/screenshots.
// With `--docs` it writes only the pictures of the README and of docs/inspector.md, into docs/images. Without `--docs`,
// `--only NAME,NAME` takes only these views.

import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { type ShownGateway, startGateway } from './gateway.ts'
import { shrinkPng } from './shrink-png.ts'
import { makeTraffic, untilListed } from './traffic.ts'
import { type ShownView, VIEWS } from './views.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const out = join(root, 'build/screenshots')
const docs = join(root, 'docs/images')
const SIZES = [
  { width: 1_440, height: 900 },
  { width: 820, height: 1_100 },
  { width: 390, height: 844 },
]
const THEMES = ['light', 'dark'] as const
/** The views in the pictures of the README and of docs/inspector.md. */
const FOR_DOCS = ['overview', 'search', 'try']
/** High enough for the whole table of strategies. */
const DOCS_SIZE = { width: 1_280, height: 796 }
const MAX_DOCS_BYTES = 150_000

/** On a phone the navigation is fixed to the screen, so it would cover the middle of a picture of the whole page. */
const NAVIGATION_AT_THE_END = `{
  const navigation = document.querySelector('.navigation')
  if (navigation !== null && getComputedStyle(navigation).position === 'fixed') {
    navigation.style.position = 'absolute'
    navigation.parentElement.style.position = 'relative'
  }
}`

const { values } = parseArgs({ options: { docs: { type: 'boolean' }, only: { type: 'string' } } })
const wanted = values.only?.split(',')
const views = VIEWS.filter(({ name }) => wanted?.includes(name) ?? true)

mkdirSync(out, { recursive: true })
const gateway = await startGateway()
const browser = await chromium.launch({
  executablePath: process.env.TOOLCRIB_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'],
})
try {
  await untilListed(gateway, ['tracker', 'notes', 'shop', 'everything', 'files', 'memory'])
  await makeTraffic(gateway)
  if (values.docs === true) await takeDocs(browser, gateway)
  else await takeAll(browser, gateway)
} finally {
  await browser.close()
  await gateway.close()
}

async function takeAll(browser: Browser, gateway: ShownGateway): Promise<void> {
  for (const size of SIZES) {
    for (const theme of THEMES) {
      for (const view of views) {
        const file = join(out, `${view.name}-${size.width}-${theme}.png`)
        await take(browser, gateway, view, { size, theme, file, fullPage: view.name !== 'catalog' })
      }
    }
  }
  console.log(`${views.length * SIZES.length * THEMES.length} pictures in build/screenshots`)
}

async function takeDocs(browser: Browser, gateway: ShownGateway): Promise<void> {
  mkdirSync(docs, { recursive: true })
  for (const view of VIEWS.filter(({ name }) => FOR_DOCS.includes(name))) {
    const file = join(docs, `inspector-${view.name}.png`)
    await take(browser, gateway, view, { size: DOCS_SIZE, theme: 'light', file, fullPage: false })
    shrinkPng(file)
    const { size } = statSync(file)
    console.log(`docs/images/inspector-${view.name}.png: ${size} bytes`)
    if (size > MAX_DOCS_BYTES) throw new Error(`${file} has more than ${MAX_DOCS_BYTES} bytes.`)
  }
}

interface Picture {
  readonly size: { readonly width: number; readonly height: number }
  readonly theme: 'light' | 'dark'
  readonly file: string
  readonly fullPage: boolean
}

async function take(
  browser: Browser,
  { address, token }: ShownGateway,
  view: ShownView,
  picture: Picture,
): Promise<void> {
  const { size, theme, file, fullPage } = picture
  const context = await browser.newContext({ viewport: size, colorScheme: theme, reducedMotion: 'reduce' })
  const page = await context.newPage()
  if (view.isLoggedOut !== true) {
    await page.goto(`${address}#token=${token}`)
    await page.locator('h1').waitFor()
  }
  await page.goto(address + view.route)
  await page.locator('h1').waitFor()
  await page.locator('.skeleton').waitFor({ state: 'detached' })
  await view.prepare?.(page)
  await page.evaluate('scrollTo(0, 0)')
  if (fullPage) await page.evaluate(NAVIGATION_AT_THE_END)
  await page.screenshot({ path: file, fullPage })
  await view.finish?.(page)
  await context.close()
}
