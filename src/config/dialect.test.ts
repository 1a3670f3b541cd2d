// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  braceDialect,
  type Dialect,
  dollarDialect,
  editorDialect,
  ownDialect,
  plainDialect,
  shellDialect,
  variableOfInput,
} from './dialect.ts'
import { namesIn, resolveText } from './references.ts'

const editor = editorDialect({
  home: '/h/ada',
  folder: '/code/shop',
  separator: '/',
  inputs: [{ id: 'region', fallback: 'eu' }],
})

describe.each<[string, Dialect, readonly (readonly [written: string, ours: string])[]]>([
  ['our own', ownDialect, [['${A} $${B} $C', '${A} $${B} $C']]],
  ['plain text', plainDialect, [['${A} {env:B} $C $$', '$${A} {env:B} $C $$']]],
  [
    'shell',
    shellDialect,
    [
      ['${A}/${B:-c}', '${A}/${B:-c}'],
      ['$${A}', '$$${A}'],
      ['cost: $5', 'cost: $5'],
    ],
  ],
  [
    'dollar',
    dollarDialect,
    [
      ['$TOKEN', '${TOKEN}'],
      ['${TOKEN:-x}-$B.c', '${TOKEN:-x}-${B}.c'],
      ['$5 and $', '$5 and $'],
    ],
  ],
  [
    'brace',
    braceDialect,
    [
      ['Bearer {env:TOKEN}', 'Bearer ${TOKEN}'],
      ['${TOKEN}', '$${TOKEN}'],
      ['${env:TOKEN}', '$$${TOKEN}'],
    ],
  ],
  [
    'editor',
    editor,
    [
      ['${env:TOKEN}', '${TOKEN}'],
      ['${TOKEN}', '${TOKEN}'],
      ['${userHome}/x', '/h/ada/x'],
      ['${workspaceFolder}${/}${workspaceFolderBasename}', '/code/shop/shop'],
      ['$5', '$5'],
    ],
  ],
])('the %s dialect', (_, dialect, cases) => {
  it.each(cases)('translates %s to %s', (written, ours) => {
    expect(dialect(written)).toMatchObject({ text: ours, findings: [] })
  })

  it('keeps a text without references unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '}', ' ', '/', ':', '5') }), (text) => {
        expect(resolveText(dialect(text).text, {})).toEqual({ ok: true, text })
      }),
    )
  })
})

// Generates lists of texts and variables. The next test writes them in the notation of a client.
const words = fc.array(
  fc.oneof(
    fc.string({ unit: fc.constantFrom('a', ' ', '/', '5', '%') }).map((text) => ({ text })),
    fc.constantFrom('TOKEN', 'a_b', '_C9').map((name) => ({ name })),
  ),
  { maxLength: 6 },
)

it.each<[string, Dialect, (name: string) => string]>([
  ['shell', shellDialect, (name) => `\${${name}}`],
  ['dollar', dollarDialect, (name) => `\${${name}}`],
  ['brace', braceDialect, (name) => `{env:${name}}`],
  ['editor', editor, (name) => `\${env:${name}}`],
])('the %s dialect translates every variable and keeps every text', (_, dialect, write) => {
  fc.assert(
    fc.property(words, (given) => {
      const written = given.map((word) => ('text' in word ? word.text : write(word.name))).join('')
      const { text, findings } = dialect(written)
      expect(findings).toEqual([])
      const variables = { TOKEN: '<1>', a_b: '<2>', _C9: '<3>' }
      const expected = given.map((word) => ('text' in word ? word.text : variables[word.name])).join('')
      expect(resolveText(text, variables)).toEqual({ ok: true, text: expected })
      const names = given.flatMap((word) => ('name' in word ? [word.name] : []))
      expect(namesIn(text)).toEqual(names)
    }),
  )
})

it('the editor dialect reports the variables for the open folder', () => {
  const variables = ['${workspaceFolder}', '${workspaceFolderBasename}']
  expect(editor(variables.join('${/}')).folderVariables).toEqual(variables)
  expect(editor('${userHome}/${env:NAME}').folderVariables).toBeUndefined()
})

describe('the inputs of an editor', () => {
  it('the editor dialect turns an input into an environment variable, and reports it', () => {
    const { text, findings } = editor('Bearer ${input:api-token}')
    expect(text).toBe('Bearer ${API_TOKEN}')
    expect(findings).toMatchObject([{ severity: 'warning', found: "the input 'api-token'" }])
    expect(findings[0]?.message).toContain('API_TOKEN')
  })

  it('the editor dialect keeps the default value of an input', () => {
    expect(editor('${input:region}')).toMatchObject({ text: '${REGION:-eu}', findings: [{ severity: 'info' }] })
  })

  it.each([
    ['github-token', 'GITHUB_TOKEN'],
    ['githubToken', 'GITHUB_TOKEN'],
    ['api.key 2', 'API_KEY_2'],
    ['2fa', 'INPUT_2FA'],
    ['', 'INPUT_'],
  ])('variableOfInput turns the id %j into the variable %s', (id, name) => {
    expect(variableOfInput(id)).toBe(name)
  })
})

it.each<[string, Dialect]>([
  ['${command:pick}', editor],
  ['${file}', editor],
  ['${relativeFileDirname}/x', editor],
  ['${workspaceFolder:other}', editor],
  ['${config:some.key}', editor],
  ['${env:NOT-A-NAME}', editor],
  ['{file:~/.token}', braceDialect],
  ['{env:NOT A NAME}', braceDialect],
])('reports an error for %s, which cannot be translated, and quotes no text after a colon', (written, dialect) => {
  const { findings } = dialect(written)
  expect(findings).toHaveLength(1)
  expect(findings[0]?.severity ?? 'error').toBe('error')
  expect(JSON.stringify(findings)).not.toMatch(/pick|some\.key|token|NAME/)
})

describe.each([
  ['our own', ownDialect],
  ['shell', shellDialect],
  ['dollar', dollarDialect],
  ['editor', editor],
])('nested references in the %s dialect', (_, dialect) => {
  it.each(['${X:-${Y:-deep}}', 'a ${X:-b${Y}} c', '$$${X:-$${Y}}'])(
    'rejects a reference in the default of another one, and names the outer variable: %s',
    (text) => {
      expect(dialect(text).findings).toEqual([
        expect.objectContaining({
          message: expect.stringMatching(/^The default of \$\{X\} contains another reference/),
        }),
      ])
    },
  )

  it.each(['${X:-a}${Y:-b}', '${X}:-${Y}', '{X:-${Y}}'])('accepts references that are not nested: %s', (text) => {
    expect(dialect(text).findings).toEqual([])
  })
})

it('our own dialect accepts an escaped text that looks like a nested reference', () => {
  expect(ownDialect('$${X:-${Y}}').findings).toEqual([])
})
