// The behaviour that every importer must have, for any client.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderProblem } from '../problem.ts'
import { DEFAULT_CONFIG } from '../self.ts'
import type { ImportResult } from '../server-entry.ts'
import type { ImportContext, Importer } from './importer.ts'

/** A server, independent of the format of a client. */
export type SampleServer =
  | {
      /** The program to start. */
      readonly command: string
      /** Its arguments. */
      readonly args?: readonly string[]
      /** Its variables. */
      readonly env?: Record<string, string>
      /** True: the entry switches the server off. */
      readonly off?: boolean
    }
  | {
      /** The address of the MCP endpoint. */
      readonly url: string
      /** Sent with each request. */
      readonly headers?: Record<string, string>
      /** True: the entry switches the server off. */
      readonly off?: boolean
    }

/** The argument of `importerContract`: an importer, and how to write a file of its client. */
export interface ImporterSample {
  /** The result of `defineImporter`. */
  readonly importer: Importer
  /** The path of a file of the client. Its extension may select the format. */
  readonly path: string
  /** One server in the format of the client. */
  entry(server: SampleServer): Readonly<Record<string, unknown>>
  /** The document of the client with these entries. */
  document(entries: unknown): Readonly<Record<string, unknown>>
  /** Writes a document as text. Default: JSON. */
  readonly render?: (document: unknown) => string
  /** A text with a syntax error in its second line. */
  readonly malformed: string
}

export const context: ImportContext = {
  home: '/h/ada',
  cwd: '/code/shop',
  platform: 'linux',
  own: { urls: ['http://127.0.0.1:3100/mcp'], configs: [DEFAULT_CONFIG] },
}

const SECRET = 'marker-5ecret'

/**
 * Defines the tests that every importer must pass. For example, it reports each problem of a file with its place, and
 * no message contains a secret.
 *
 * @example
 * ```ts
 * importerContract({
 *   importer: acme,
 *   path: '/h/ada/.acme/settings.json',
 *   entry: ({ off, ...server }) => (off ? { ...server, disabled: true } : server),
 *   document: (servers) => ({ servers }),
 *   malformed: '{ "servers":\n  , }',
 * })
 * ```
 */
export function importerContract(sample: ImporterSample): void {
  const { importer, path, entry, document, render = (value) => JSON.stringify(value, null, 2) } = sample
  const parse = (text: string) => importer.parse(text, path, context)
  const parseServers = (servers: Readonly<Record<string, SampleServer>>) =>
    parse(render(document(Object.fromEntries(Object.entries(servers).map(([name, one]) => [name, entry(one)])))))
  const files: SampleServer = { command: 'npx', args: ['-y', 'server-files', '/data'], env: { LEVEL: 'high' } }
  const web: SampleServer = { url: 'https://mcp.example.com/mcp', headers: { 'X-Team': 'shop' } }

  describe(`${importer.name} fulfils the importer contract`, () => {
    it('reads commands and addresses together with their origin', async () => {
      const { servers, rules, problems } = await parseServers({ files, web })
      expect(problems).toEqual([])
      expect(rules).toEqual([])
      expect(servers).toMatchObject([
        {
          name: 'files',
          enabled: true,
          connection: { type: 'stdio', command: 'npx', args: ['-y', 'server-files', '/data'], env: { LEVEL: 'high' } },
          origin: { source: importer.name, file: path },
        },
        {
          name: 'web',
          enabled: true,
          connection: { type: 'http', url: 'https://mcp.example.com/mcp', headers: { 'X-Team': 'shop' } },
          origin: { source: importer.name, file: path },
        },
      ])
    })

    it('keeps disabled servers disabled', async () => {
      const { servers } = await parseServers({ files: { ...files, off: true }, web: { ...web, off: true } })
      expect(servers.map(({ name, enabled }) => [name, enabled])).toEqual([
        ['files', false],
        ['web', false],
      ])
    })

    it('reports the line of a syntax error', async () => {
      const { servers, problems } = await parse(sample.malformed)
      expect(servers).toEqual([])
      expect(problems).toMatchObject([{ file: path, severity: 'error', line: 2 }])
    })

    it('treats an empty file as a file without servers', async () => {
      for (const text of ['', '\n', render({})])
        expect(await parse(text)).toEqual({ servers: [], rules: [], problems: [] })
    })

    it('reports an invalid entry with its file and key, and reads the others', async () => {
      const wrong = { ...entry(files), command: 17, url: undefined }
      const { servers, problems } = await parse(
        render(document({ bad: without(wrong, 'url'), none: {}, files: entry(files) })),
      )
      expect(servers.map(({ name }) => name)).toEqual(['files'])
      for (const name of ['bad', 'none']) {
        const about = problems.filter((problem) => problem.path.includes(`.${name}`))
        expect(about.map(({ file }) => file)).toContain(path)
      }
    })

    it('reports an unknown key and uses the rest of the entry', async () => {
      const { servers, problems } = await parse(render(document({ files: { ...entry(files), comand: 'npx' } })))
      expect(servers.map(({ name }) => name)).toEqual(['files'])
      expect(problems).toMatchObject([
        { file: path, severity: 'warning', message: expect.stringContaining("'comand'") },
      ])
      expect(problems[0]?.path).toMatch(/\.files\.comand$/)
    })

    it('leaves this gateway out and reports it', async () => {
      const self = {
        npx: { command: 'npx', args: ['-y', 'toolcrib'] },
        web: { url: 'http://localhost:3100/mcp' },
        files,
      }
      const { servers, problems } = await parseServers(self)
      expect(servers.map(({ name }) => name)).toEqual(['files'])
      // In a client our own entry was written by `install`. In a custom file it is a mistake.
      const severity = importer.name === 'custom' ? 'warning' : 'info'
      expect(problems).toMatchObject([{ severity }, { severity }])
    })

    it('reports a text where the object with the entries is expected', async () => {
      const { servers, problems } = await parse(render(document('all of them')))
      expect(servers).toEqual([])
      expect(problems).toMatchObject([{ file: path, severity: 'error' }])
    })

    it('returns only servers with a command or an address, for any text', async () => {
      const names = [...new Set(['type', 'enabled', ...Object.keys({ ...entry(files), ...entry(web) })])]
      const anything = fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null)
      const anyEntry = fc.oneof(
        anything,
        fc.dictionary(fc.constantFrom(...names), anything),
        fc
          .tuple(fc.constantFrom(entry(files), entry(web)), fc.constantFrom(...names), anything)
          .map(([base, key, value]) => ({
            ...base,
            [key]: value,
          })),
      )
      const anyText = fc.oneof(
        fc.string(),
        fc.json(),
        fc
          .dictionary(fc.constantFrom('a', '', '__proto__', 'x.y'), anyEntry)
          .map((entries) => tryRender(document(entries))),
        fc.dictionary(fc.constantFrom(...Object.keys(document({}))), anything).map(tryRender),
      )
      await fc.assert(fc.asyncProperty(anyText, async (text) => checkResult(await parse(text))))
    })

    it('quotes no secret in any problem', async () => {
      const leaf = fc.constantFrom<unknown>(
        SECRET,
        `Bearer ${SECRET}`,
        [SECRET],
        { KEY: SECRET },
        { KEY: [SECRET] },
        1,
        true,
      )
      const keys = Object.keys({ ...entry(files), ...entry(web), type: 1, cwd: 1, timeout: 1 })
      const anyEntry = fc.dictionary(fc.constantFrom(...keys), leaf)
      await fc.assert(
        fc.asyncProperty(fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(anyEntry, leaf)), async (entries) => {
          const text = tryRender(document(entries))
          for (const broken of [text, text.slice(0, -3), `${text}\n${SECRET}`]) {
            const { problems } = await parse(broken)
            expect(JSON.stringify(problems)).not.toContain(SECRET)
            expect(problems.map(renderProblem).join('\n')).not.toContain(SECRET)
          }
        }),
      )
    })
  })

  function tryRender(value: unknown): string {
    try {
      return render(value)
    } catch {
      // Some formats cannot represent every value.
      return ''
    }
  }
}

function checkResult({ servers, rules, problems }: ImportResult): void {
  for (const { connection } of servers) {
    const target = 'command' in connection ? connection.command : connection.url
    expect(target.trim()).not.toBe('')
  }
  for (const rule of rules) expect(rule).toMatchObject({ enabled: false, server: expect.any(String) })
  for (const problem of problems) {
    expect(problem.message).not.toBe('')
    expect(renderProblem(problem)).not.toContain('\n')
  }
}

function without(record: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
}
