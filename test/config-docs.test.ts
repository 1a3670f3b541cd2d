// Checks that docs/configuration.md and the JSON Schema match the config schema, and that documented configs are valid.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { createJiti } from 'jiti'
import { type ParseError, parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { generatedFiles } from '../scripts/config/generated-files.ts'
import { configJsonSchema, configKeys } from '../scripts/config/json-schema.ts'
import { isGroup } from '../scripts/config/page.ts'
import { SERVER, TEXTS, textOf } from '../scripts/config/texts.ts'

describe('the generated documents', () => {
  it.each([...generatedFiles()])('%s has the content that the schema gives', (path, expected) => {
    const advice = `${path} differs from the schema of the config. Run \`npm run docs\` and commit the result.`
    expect(readFileSync(path, 'utf8') === expected, advice).toBe(true)
  })

  it('every key of the schema has a text, and every text has a key', () => {
    const paths = configKeys().map(({ path }) => path)
    expect(paths.length).toBeGreaterThan(70)
    expect(Object.keys(TEXTS).filter((path) => !paths.includes(path))).toEqual([])
  })

  it('a key without a text is reported with the file to edit', () => {
    expect(() => textOf('discovery.new')).toThrow(
      /'discovery\.new' has no text\. Add a sentence and an example for it to scripts\/config\/texts\.ts/,
    )
  })

  it.each(configKeys().map(({ path, text }) => [path, text.text]))(
    'the text of the key %s is a sentence',
    (_, text) => {
      expect(text).toMatch(/^[A-Z`].*\.$/)
    },
  )

  const single = configKeys().filter((key) => !isGroup(key))
  it.each(single.map((key) => [key.path, key] as const))('the key %s has a valid example', (path, { text, node }) => {
    expect(text.example, `Add an example of '${path}' to scripts/config/texts.ts.`).toBeDefined()
    const { $defs } = configJsonSchema()
    const isValid = new Ajv({ strict: false }).compile({ ...node, $defs })
    expect(isValid(text.example), JSON.stringify(isValid.errors)).toBe(true)
  })

  it('the package contains the schema, and exports it', () => {
    const { files, exports } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(files).toContain('schema')
    expect(generatedFiles().has(exports['./config.schema.json'].slice(2))).toBe(true)
  })
})

describe('the JSON Schema of a config', () => {
  const isValid = new Ajv({ strict: false }).compile(JSON.parse(readFileSync('schema/config.schema.json', 'utf8')))
  const examples = documents().flatMap((path) => configsIn(path).map((config, at) => [`${path} (${at + 1})`, config]))

  it('there are examples in the README, the gateway page and the configuration page', () => {
    const names = examples.map(([name]) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        'README.md (1)',
        'docs/gateway.md (1)',
        'docs/configuration.md (1)',
        'docs/configuration.md (2)',
      ]),
    )
  })

  it.each(examples)('the JSON Schema of a config accepts the example in %s', (_name, config) => {
    expect(isValid(config), JSON.stringify(isValid.errors)).toBe(true)
  })

  it.each([
    [{ discovry: {} }, 'discovry'],
    [{ http: { prot: 1 } }, 'prot'],
    [{ discovery: { servers: { a: { comand: 'x' } } } }, 'comand'],
    [{ discovery: { servers: [{ name: 'a', connection: { urll: 'x' } }] } }, 'urll'],
    [{ discovery: { toolRules: [{ patern: '*' }] } }, 'patern'],
  ])('the JSON Schema of a config finds the wrong key in %j', (config, key) => {
    expect(isValid(config)).toBe(false)
    expect(isValid.errors?.map(({ params }) => params.additionalProperty)).toContain(key)
  })

  it.each([
    { http: { port: 70_000 } },
    { audit: { mode: 'strickt' } },
    { inheritEnv: 'no' },
    { discovery: { servers: { a: { timeoutMs: 0 } } } },
  ])('the JSON Schema of a config finds the wrong value in %j', (config) => {
    expect(isValid(config)).toBe(false)
  })

  it('the JSON Schema has a description of the key `command`, in a server and in its connection', () => {
    const { $defs } = configJsonSchema()
    expect($defs).toHaveProperty('server.properties.command.description', textOf(`${SERVER}.command`).text)
    expect($defs).toHaveProperty('server.properties.connection.properties.command.description')
  })
})

/** The documents and examples that could contain a config. */
function documents(): readonly string[] {
  const inFolder = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return ['README.md', ...inFolder('docs'), ...inFolder('examples')].filter((path) => /\.(?:md|jsonc?)$/.test(path))
}

/**
 * The configs in a file. In a document they are the blocks of JSON with `discovery` or `$schema`, and the blocks of
 * TypeScript with `defineConfig`. Another file is a config if its path contains `toolcrib`.
 */
function configsIn(path: string): readonly unknown[] {
  const text = readFileSync(path, 'utf8')
  if (!path.endsWith('.md')) return /toolcrib/.test(path) ? [parsed(text)] : []
  return [...text.matchAll(/^```(jsonc?|ts)\n(.*?)^```/gms)].flatMap(([, language, block = '']) => {
    if (language === 'ts') return block.includes('defineConfig(') ? [evaluated(block)] : []
    return /"(?:discovery|\$schema)"/.test(block) ? [parsed(block)] : []
  })
}

function parsed(text: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  expect(errors).toEqual([])
  return value
}

function evaluated(block: string): unknown {
  const code = block.replace(/^import .*$/m, 'const defineConfig = (config) => config')
  const filename = join(process.cwd(), 'example.ts')
  const loaded: unknown = createJiti(filename).evalModule(code, { filename, forceTranspile: true, async: false })
  return typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : undefined
}
