// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { referencedNames, resolveConnection } from './connection-kinds.ts'
import {
  hasReferences,
  parseTemplate,
  renderTemplate,
  resolveText,
  type TemplatePart,
  type VariableReference,
} from './references.ts'
import type { Connection } from './server-config.ts'

// Generates texts from pieces that look like references.
const piece = fc.constantFrom('$', '{', '}', '${', '${A}', '${b:-', ':-', '{A}', 'A', '_1', ' ')
const tricky = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
const anyText = fc.oneof(tricky, fc.string())
const name = fc.stringMatching(/^[A-Za-z_]\w{0,6}$/)
const fallback = anyText.filter((text) => !/\}|\$\{/.test(text))
const reference: fc.Arbitrary<VariableReference> = fc.oneof(fc.record({ name }), fc.record({ name, fallback }))
const parts: fc.Arbitrary<TemplatePart[]> = fc.array(fc.oneof(anyText, reference), { maxLength: 6 })

function joinLiterals(given: readonly TemplatePart[]): TemplatePart[] {
  const all: TemplatePart[] = []
  for (const part of given) {
    const last = all.at(-1)
    if (typeof part === 'string' && typeof last === 'string') all[all.length - 1] = last + part
    else all.push(part)
  }
  return all.filter((part) => part !== '')
}

describe('parseTemplate and renderTemplate', () => {
  it.each<[string, TemplatePart[]]>([
    ['plain', ['plain']],
    ['${TOKEN}', [{ name: 'TOKEN' }]],
    ['Bearer ${TOKEN}!', ['Bearer ', { name: 'TOKEN' }, '!']],
    [
      '${HOST:-localhost}:${PORT:-80}',
      [{ name: 'HOST', fallback: 'localhost' }, ':', { name: 'PORT', fallback: '80' }],
    ],
    ['${EMPTY:-}', [{ name: 'EMPTY', fallback: '' }]],
    ['${A:-a:b-c$d}', [{ name: 'A', fallback: 'a:b-c$d' }]],
    ['$$${A}', ['$', { name: 'A' }]],
    ['$${A}', ['${A}']],
    ['pa$$word and $5 and $HOME', ['pa$$word and $5 and $HOME']],
    ['${}', ['${}']],
    ['${1A}', ['${1A}']],
    ['${not a name}', ['${not a name}']],
    ['${open', ['${open']],
    ['${A:-${B}}', ['${A:-', { name: 'B' }, '}']],
  ])('parses %s into its parts', (text, expected) => {
    expect(parseTemplate(text)).toEqual(expected)
  })

  it('parses a rendered template back into the same parts', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const expected = joinLiterals(given)
        expect(parseTemplate(renderTemplate(expected))).toEqual(expected)
      }),
    )
  })

  it('escapes every literal text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(resolveText(renderTemplate([text]), {})).toEqual({ ok: true, text })
      }),
    )
  })

  it('omits a default that cannot be represented', () => {
    expect(renderTemplate([{ name: 'A', fallback: 'x}y' }])).toBe('${A}')
  })
})

describe('resolving references', () => {
  it('uses the variable, or the default if the variable is unset or empty', () => {
    const variables = { SET: 'here', EMPTY: '' }
    expect(resolveText('${SET:-x} ${EMPTY:-x} ${UNSET:-x} [${EMPTY}]', variables)).toEqual({
      ok: true,
      text: 'here x x []',
    })
  })

  it('lists every missing variable once', () => {
    expect(resolveText('${A}${B}${A}', {})).toEqual({ ok: false, missing: ['A', 'B'] })
  })

  it('does not treat properties of the object prototype as variables', () => {
    expect(resolveText('${constructor}${toString}', {})).toEqual({ ok: false, missing: ['constructor', 'toString'] })
  })

  it('does not resolve references inside a value', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        fc.pre(value !== '')
        expect(resolveText('<${A}>', { A: value })).toEqual({ ok: true, text: `<${value}>` })
      }),
    )
  })

  const stdio: Connection = {
    type: 'stdio',
    command: '${RUNNER:-npx}',
    args: ['-y', '${PACKAGE}'],
    env: { TOKEN: '${TOKEN}', PRICE: '$5' },
    cwd: '${ROOT}/work',
    envFile: '${ROOT}/.env',
  }

  it('resolves every text of a stdio connection', () => {
    expect(resolveConnection(stdio, { PACKAGE: 'pkg', TOKEN: 't', ROOT: '/r' })).toEqual({
      ok: true,
      connection: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'pkg'],
        env: { TOKEN: 't', PRICE: '$5' },
        cwd: '/r/work',
        envFile: '/r/.env',
      },
    })
    expect(resolveConnection(stdio, {})).toEqual({ ok: false, missing: ['PACKAGE', 'TOKEN', 'ROOT'] })
    expect(referencedNames(stdio)).toEqual(['RUNNER', 'PACKAGE', 'TOKEN', 'ROOT'])
  })

  it('resolves the address and the headers of a remote connection', () => {
    const remote: Connection = { type: 'http', url: 'https://${HOST}/mcp', headers: { Authorization: 'Bearer ${KEY}' } }
    expect(resolveConnection(remote, { HOST: 'a.example', KEY: 'k' })).toEqual({
      ok: true,
      connection: { type: 'http', url: 'https://a.example/mcp', headers: { Authorization: 'Bearer k' } },
    })
    expect(resolveConnection(remote, {})).toEqual({ ok: false, missing: ['HOST', 'KEY'] })
  })

  it('resolves the login settings of a remote connection', () => {
    const auth = { clientId: '${ID}', clientSecret: '${SECRET}', scopes: ['${SCOPE}'], issuer: 'https://${HOST}' }
    const remote: Connection = { type: 'http', url: 'https://a.example', headers: {}, auth }
    expect(referencedNames(remote)).toEqual(['ID', 'SECRET', 'SCOPE', 'HOST'])
    expect(resolveConnection(remote, { ID: 'i', SECRET: 's', SCOPE: 'read', HOST: 'b.example' })).toMatchObject({
      connection: { auth: { clientId: 'i', clientSecret: 's', scopes: ['read'], issuer: 'https://b.example' } },
    })
    expect(resolveConnection(remote, {})).toEqual({ ok: false, missing: ['ID', 'SECRET', 'SCOPE', 'HOST'] })
  })

  it('parses a million dollar signs as one literal', () => {
    expect(parseTemplate('$'.repeat(1_000_000))).toHaveLength(1)
  })

  it('detects whether a text has references', () => {
    expect(hasReferences('a ${B} c')).toBe(true)
    expect(hasReferences('a $${B} $C')).toBe(false)
  })

  it('ignores the case of names on Windows', () => {
    const variables = { Path: 'C:\\bin', USERPROFILE: 'C:\\Ada' }
    expect(resolveText('${PATH};${userprofile}', variables, 'win32')).toEqual({ ok: true, text: 'C:\\bin;C:\\Ada' })
    expect(resolveText('${PATH}', variables, 'linux')).toEqual({ ok: false, missing: ['PATH'] })
  })
})
