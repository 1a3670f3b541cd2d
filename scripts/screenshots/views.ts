// The views for the screenshots, and the actions in each view before its screenshot.

import type { Page } from 'playwright-core'

export interface ShownView {
  readonly name: string
  readonly route: string
  readonly isLoggedOut?: boolean
  /** Brings the view into the state to show. */
  prepare?(page: Page): Promise<void>
  /** Ends what `prepare` has started at a server. */
  finish?(page: Page): Promise<void>
}

export const VIEWS: readonly ShownView[] = [
  { name: 'login', route: '', isLoggedOut: true },
  { name: 'overview', route: '#/', prepare: (page) => page.locator('.headline-figure').waitFor() },
  { name: 'catalog', route: '#/tools' },
  { name: 'disabled', route: '#/tools?state=disabled' },
  { name: 'tool', route: '#/tools/tracker:issue-create' },
  {
    name: 'search',
    route: '#/search?q=create%20an%20issue',
    prepare: (page) => page.locator('.answer').nth(1).waitFor(),
  },
  { name: 'search-empty', route: '#/search' },
  {
    name: 'search-nothing',
    route: '#/search?q=qqxxzz',
    prepare: (page) => page.getByText('Nothing was found').waitFor(),
  },
  { name: 'choose', route: '#/try' },
  {
    name: 'try',
    route: '#/try/tracker:issue-create',
    async prepare(page) {
      await page.getByLabel('project').first().fill('WEB')
      await page.getByLabel('title').first().fill('The cart loses its items')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('region', { name: /^Result/ }).waitFor()
    },
  },
  {
    name: 'invalid',
    route: '#/try/everything:get-sum',
    async prepare(page) {
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('region', { name: /^Result/ }).waitFor()
    },
  },
  {
    name: 'question',
    route: '#/try/everything:trigger-elicitation-request',
    async prepare(page) {
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('heading', { name: 'The server asks' }).waitFor()
    },
    async finish(page) {
      await page.getByRole('button', { name: 'Decline' }).click()
      await page.getByRole('region', { name: /^Result/ }).waitFor()
    },
  },
  {
    name: 'running',
    route: '#/try/everything:trigger-long-running-operation',
    async prepare(page) {
      await page.getByLabel('duration').fill('60')
      await page.getByLabel('steps').fill('300')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByText(/Progress: \d+ of/).waitFor()
    },
  },
  {
    name: 'calls',
    route: '#/calls',
    async prepare(page) {
      await page.locator('.chart canvas').nth(2).waitFor()
      await page.locator('tr.call').first().waitFor()
    },
  },
  {
    name: 'call',
    route: '#/calls',
    async prepare(page) {
      await page.getByLabel('Outcome').selectOption('VALIDATION_ERROR')
      await page.locator('.row-toggle').first().click()
      await page.locator('.chart canvas').nth(2).waitFor()
    },
  },
  {
    name: 'config',
    route: '#/config',
    async prepare(page) {
      await page.getByLabel('Pattern').fill('*sprint*')
      await page.getByRole('button', { name: 'Show what it changes' }).click()
      await page.getByText('Text for the config file').first().waitFor()
    },
  },
]
