// Checks a page with axe-core.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** The rules that the page breaks, with the elements. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // Playwright can run axe-core in the page, although the Content-Security-Policy forbids scripts of others.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(source)
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}
