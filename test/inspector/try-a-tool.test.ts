// Calls from the inspector: the generated form, progress, cancel, elicitation, and all kinds of results.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHome } from '../e2e/gateway/home.ts'
import { bundled, everything, fixtureServer } from '../e2e/gateway/servers.ts'
import { violationsOf } from './accessibility.ts'
import { hasBrowser, type InspectorPage, openPage, untilKnown, useInspectedGateway } from './page.ts'

const config = {
  discovery: {
    strategy: 'gateway',
    servers: {
      everything: everything(),
      asks: fixtureServer('asks'),
      box: fixtureServer('toolbox'),
      shop: bundled('shop'),
    },
  },
}

/** Runs an ES module in a process of its own. Its file is below the repository, so that it finds the packages. */
async function runCode(code: string, token: string): Promise<string> {
  const folder = mkdtempSync(fileURLToPath(new URL('../../build/copied-', import.meta.url)))
  try {
    const file = join(folder, 'copied.mjs')
    writeFileSync(file, code)
    const env = { ...process.env, TOOLCRIB_TOKEN: token }
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env })
    return stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe.skipIf(!hasBrowser)('trying a tool', () => {
  const gateway = useInspectedGateway(() => ({ config }))
  beforeAll(async () => {
    if (hasBrowser) await untilKnown(gateway(), 40)
  })
  const open = async (tool: string): Promise<InspectorPage> => {
    const opened = await openPage(gateway())
    await opened.visit(`#/try/${encodeURIComponent(tool)}`)
    await opened.page.getByRole('heading', { name: 'Arguments' }).waitFor()
    return opened
  }
  const run = ({ page }: InspectorPage) => page.getByRole('button', { name: 'Run', exact: true }).click()
  const result = ({ page }: InspectorPage) => page.getByRole('region', { name: /^Result/ })

  it('the inspector finds a tool by typing, with the keyboard alone', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/try')
    await page.keyboard.press('/')
    await page.keyboard.type('get-sum')
    await expect.poll(() => page.getByRole('option').count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Arguments' }).waitFor()
    expect(page.url()).toContain('#/try/everything%3Aget-sum')
  })

  it('the inspector runs a tool with the values of its form', async () => {
    const opened = await open('everything:get-sum')
    const { page } = opened
    await page.getByLabel('a number, required').fill('20')
    await page.getByLabel('b number, required').fill('22')
    await run(opened)
    await expect.poll(() => result(opened).innerText()).toMatch(/ok[\s\S]*42/)
  })

  it('the inspector shows the validation errors of the gateway at their fields', async () => {
    const opened = await open('everything:get-sum')
    const { page } = opened
    await page.getByLabel('a number, required').fill('20')
    await run(opened)
    await page.getByText("Required field 'b' is missing").first().waitFor()
    const field = page.getByLabel('b number, required')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    const described = await field.getAttribute('aria-describedby')
    expect(described).toContain('arg-b-problem')
  })

  it('the inspector shows the progress of a long call', async () => {
    const opened = await open('everything:trigger-long-running-operation')
    const { page } = opened
    await page.getByLabel('duration').fill('1.5')
    await page.getByLabel('steps').fill('5')
    await run(opened)
    await page.getByText(/Progress: \d of 5/).waitFor()
    await expect.poll(() => result(opened).innerText()).toContain('Long running operation completed')
  })

  it('the inspector cancels a call, and the audit log records it as CANCELLED', async () => {
    const opened = await open('everything:trigger-long-running-operation')
    const { page } = opened
    await page.getByLabel('duration').fill('600')
    await page.getByLabel('steps').fill('6000')
    await run(opened)
    await page.getByText(/Progress: \d+ of 6,000/).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Cancelled' }).waitFor()
    await expect.poll(() => gateway().home.lines('state/toolcrib/audit.jsonl').join('\n')).toContain('CANCELLED')
  })

  it('the inspector shows the questions of a server in the middle of a call, and sends the answers', async () => {
    const opened = await open('asks:interview')
    const { page } = opened
    await run(opened)
    const question = page.locator('form', { has: page.getByRole('heading', { name: 'The server asks' }) })
    await question.getByText('Your name?').waitFor()
    await question.getByLabel('name').fill('Ada')
    await question.getByRole('button', { name: 'Send the answer' }).click()
    await question.getByText('Your town?').waitFor()
    await question.getByRole('button', { name: 'Decline' }).click()
    await expect.poll(() => result(opened).innerText()).toMatch(/"Ada"[\s\S]*"decline"/)
  })

  it('the inspector frees the server when the user cancels an open question', async () => {
    const opened = await open('asks:interview')
    const { page } = opened
    await run(opened)
    await page.getByRole('heading', { name: 'The server asks' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Cancelled' }).waitFor()
    // A server that asks gets one call at a time, so the next call runs only if the cancelled one has ended.
    await opened.visit('#/try/asks:visit')
    await run(opened)
    await page.getByRole('button', { name: 'Decline' }).click()
    await expect.poll(() => result(opened).innerText()).toContain('decline')
  })

  it('the inspector shows the full address as a link when a server asks the user to open an address', async () => {
    const opened = await open('asks:visit')
    const { page } = opened
    await run(opened)
    const link = page.getByRole('link', { name: 'https://x.test/' })
    await link.waitFor()
    expect(await link.getAttribute('rel')).toContain('noreferrer')
    await page.getByRole('button', { name: 'I have opened it' }).click()
    await expect.poll(() => result(opened).innerText()).toContain('accept')
  })

  it('the inspector renders images, links and embedded resources', async () => {
    const image = await open('everything:get-tiny-image')
    await run(image)
    await image.page.locator('.block img').waitFor()
    await expect.poll(() => image.page.evaluate(`document.querySelector('.block img').naturalWidth`)).toBeGreaterThan(0)
    await image.visit('#/try/everything%3Aget-resource-links')
    await run(image)
    await expect.poll(() => image.page.getByText('link to a resource').count()).toBeGreaterThan(0)
    await image.visit('#/try/everything%3Aget-resource-reference')
    await run(image)
    await expect.poll(() => result(image).innerText()).toContain('demo://resource')
  })

  it('the inspector plays audio, and reports audio that the browser cannot play', async () => {
    const opened = await open('box:sound')
    const { page } = opened
    await run(opened)
    const player = page.locator('.block audio')
    await player.waitFor()
    // The browser has decoded it: eight samples at 8,000 Hz.
    await expect.poll(() => page.evaluate(`document.querySelector('.block audio').duration`)).toBeCloseTo(0.001)
    expect(await violationsOf(page)).toEqual([])
    await opened.visit('#/try/box%3Ablocks')
    await run(opened)
    await page.getByText('The browser cannot read this audio.').waitFor()
    expect(await page.locator('.block audio').count()).toBe(0)
  })

  it('the inspector sends the arguments of the JSON editor, and refuses to send text that is not JSON', async () => {
    const opened = await open('everything:echo')
    const { page } = opened
    await page.getByRole('radio', { name: 'JSON', exact: true }).check()
    await page.getByLabel('Arguments as JSON').fill('{"message": ')
    await page.getByText('Not valid JSON').waitFor()
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Arguments as JSON').fill('{"message": "from the editor"}')
    await run(opened)
    await expect.poll(() => result(opened).innerText()).toContain('from the editor')
  })

  it('the inspector writes the call as a command line, a message and code', async () => {
    const opened = await open('everything:echo')
    const { page } = opened
    await page.getByLabel('message string, required').fill("it's")
    const copy = page.getByRole('region', { name: 'Copy as' })
    expect(await copy.locator('pre').innerText()).toBe(
      `toolcrib execute everything:echo --args '{"message":"it'\\''s"}'`,
    )
    await copy.getByRole('radio', { name: 'JSON-RPC' }).check()
    expect(JSON.parse(await copy.locator('pre').innerText())).toMatchObject({
      method: 'tools/call',
      params: { name: 'everything__echo', arguments: { message: "it's" } },
    })
    await copy.getByRole('radio', { name: 'SDK code' }).check()
    expect(await copy.locator('pre').innerText()).toContain('client.callTool({')
  })

  it('the inspector copies a message and code that make the same call', async () => {
    const opened = await open('everything:echo')
    const { page } = opened
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const said = 'it\'s `quoted` "twice" \\ $'
    await page.getByRole('radio', { name: 'JSON', exact: true }).check()
    await page.getByLabel('Arguments as JSON').fill(JSON.stringify({ message: said }))
    const copied = async (form: string) => {
      const copy = page.getByRole('region', { name: 'Copy as' })
      await copy.getByRole('radio', { name: form }).check()
      await copy.getByRole('button').click()
      await copy.getByRole('button', { name: 'Copied' }).waitFor()
      return page.evaluate<string>('navigator.clipboard.readText()')
    }
    const { url, token = '' } = gateway()
    const answer = { content: [{ type: 'text', text: `Echo: ${said}` }] }

    const message = await copied('JSON-RPC')
    const { params } = JSON.parse(message)
    const response = await fetch(url, {
      method: 'POST',
      body: message,
      // The headers that the protocol wants for this message.
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': params._meta['io.modelcontextprotocol/protocolVersion'],
        'mcp-method': 'tools/call',
        'mcp-name': params.name,
      },
    })
    const body = await response.text()
    expect(JSON.parse(body.slice(body.indexOf('{')))).toMatchObject({ id: 1, result: answer })

    const code = await copied('SDK code')
    expect(JSON.parse(await runCode(`${code}console.log(JSON.stringify(result))`, token))).toMatchObject(answer)
  })

  it('the inspector shows the titles of choices, and sends their values', async () => {
    const opened = await open('everything:trigger-elicitation-request')
    const { page } = opened
    await run(opened)
    const hero = page.getByLabel('Titled Single Select Enum choice', { exact: true })
    await hero.selectOption({ label: 'Wonder Woman' })
    await page.getByLabel('String string, required').fill('Ada')
    await page.getByRole('button', { name: 'Send the answer' }).click()
    await expect.poll(() => result(opened).innerText()).toContain('hero-3')
  })

  it('the inspector draws a form for nested objects and lists', async () => {
    const opened = await open('shop:order-place')
    const { page } = opened
    await page
      .getByRole('button', { name: /^Add an item/ })
      .first()
      .click()
    expect(await page.getByRole('button', { name: /^Remove item 1/ }).count()).toBe(1)
    expect(await page.locator('fieldset.group').count()).toBeGreaterThan(0)
  })
})

const checkedTools = [
  {
    name: 'checked',
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string', minLength: 5, pattern: '^a' },
        counts: { type: 'object', additionalProperties: { type: 'integer' } },
        owner: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
      },
      additionalProperties: false,
    },
  },
  {
    name: 'free',
    inputSchema: {
      type: 'object',
      properties: {
        data: {},
        list: { type: 'array', items: {} },
        either: {
          anyOf: [
            { title: 'Text', type: 'string' },
            { title: 'Any object', type: 'object' },
          ],
        },
      },
    },
  },
]

describe.skipIf(!hasBrowser)('problems of a form', () => {
  const home = createHome()
  const gateway = useInspectedGateway(() => {
    const file = home.write('tools.json', checkedTools)
    return { home, config: { discovery: { servers: { forms: fixtureServer('tools-from-file', file) } } } }
  })
  beforeAll(async () => {
    if (hasBrowser) await untilKnown(gateway(), checkedTools.length + 1)
    return () => home.remove()
  })
  const open = async (tool: string) => {
    const { page, visit } = await openPage(gateway())
    await visit(`#/try/forms:${tool}`)
    await page.getByRole('heading', { name: 'Arguments' }).waitFor()
    const run = page.getByRole('button', { name: 'Run', exact: true })
    const result = page.getByRole('region', { name: /^Result/ })
    /** The texts that belong to a field. */
    const textsOf = async (label: string) => {
      const ids = (await page.getByLabel(label).getAttribute('aria-describedby')) ?? ''
      const texts = ids.split(' ').map((id) => page.locator(`[id="${id}"]`).innerText())
      return (await Promise.all(texts)).join('\n')
    }
    return { page, run, result, textsOf }
  }

  it('the inspector shows every problem of a value at its field', async () => {
    const { page, run, textsOf } = await open('checked')
    await page.getByLabel('code string').fill('b')
    await run.click()
    await expect.poll(() => page.getByLabel('code string').getAttribute('aria-invalid')).toBe('true')
    const texts = await textsOf('code string')
    expect(texts).toContain('must NOT have fewer than 5 characters')
    expect(texts).toContain('does not match the pattern ^a')
    expect(await violationsOf(page)).toEqual([])
  })

  it('the inspector shows a problem inside a JSON field at that field', async () => {
    const { page, run, textsOf } = await open('checked')
    await page.getByLabel('counts object').fill('{"apples": "many"}')
    await run.click()
    await expect.poll(() => page.getByLabel('counts object').getAttribute('aria-invalid')).toBe('true')
    expect(await textsOf('counts object')).toContain("Field 'counts.apples': expected integer")
  })

  it('the inspector shows the problem of an unknown field at the object around it, or below the form', async () => {
    const { page, run } = await open('checked')
    await page.getByRole('radio', { name: 'JSON', exact: true }).check()
    await page.getByLabel('Arguments as JSON').fill('{"extra": 1, "owner": {"age": 1}}')
    await page.getByRole('radio', { name: 'Form', exact: true }).check()
    await run.click()
    const form = page.getByRole('form', { name: 'Arguments' })
    await expect.poll(() => form.getByRole('alert').allInnerTexts()).toEqual(["Unknown field 'extra'"])
    expect(await form.getByRole('group', { name: 'owner object' }).innerText()).toContain("Unknown field 'owner.age'")
  })

  it('the inspector does not run a tool while a JSON field of its form has a problem', async () => {
    const { page, run, result } = await open('free')
    await page.getByLabel('data any').fill('{"a": 1}')
    await page.getByLabel('data any').fill('{"a":')
    await page.getByText('Not valid JSON').waitFor()
    expect(await run.isDisabled()).toBe(true)
    await page.getByLabel('data any').fill('{"a": 2}')
    await run.click()
    await expect.poll(() => result.innerText()).toContain('"free"')
  })

  it('the inspector runs a tool after the JSON field with a problem has left the form', async () => {
    const { page, run } = await open('free')
    for (const item of ['[', '"kept"']) {
      await page.getByRole('button', { name: 'Add an item' }).click()
      await page
        .getByRole('textbox', { name: /^Item \d any/ })
        .last()
        .fill(item)
    }
    await expect.poll(() => run.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Remove item 1' }).click()
    await expect.poll(() => run.isDisabled()).toBe(false)
    expect(await page.getByLabel('Item 1 any').inputValue()).toBe('"kept"')

    await page.getByLabel('Type of either').selectOption('Any object')
    const either = page.getByLabel('Any object object')
    await either.fill('[')
    await expect.poll(() => run.isDisabled()).toBe(true)
    await page.getByLabel('data any').fill('[')
    await page.getByLabel('Type of either').selectOption('Text')
    await either.waitFor({ state: 'detached' })
    expect(await run.isDisabled()).toBe(true)
    await page.getByRole('radio', { name: 'JSON', exact: true }).check()
    await expect.poll(() => run.isDisabled()).toBe(false)
    await page.getByLabel('Arguments as JSON').fill('[')
    await expect.poll(() => run.isDisabled()).toBe(true)
    await page.getByRole('radio', { name: 'Form', exact: true }).check()
    await expect.poll(() => run.isDisabled()).toBe(false)
  })
})
