// Checks that `npm ci` can install from the lock file on every platform and from any registry.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly optional?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const { packages } = read('package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> } // the form is npm's
const manifest = read('package.json') as Locked // the fields that are compared with the lock file

/** The entry that Node would find for a package when `from` imports it. */
function find(name: string, from: string): Locked | undefined {
  const own = packages[`${from === '' ? '' : `${from}/`}node_modules/${name}`]
  if (own !== undefined || from === '') return own
  return find(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
}

describe('the lock file', () => {
  it('the lock file requires the same packages as package.json', () => {
    const required = ({ dependencies, devDependencies, optionalDependencies }: Locked) => ({
      dependencies,
      devDependencies,
      optionalDependencies,
    })
    expect(required(packages[''] ?? {})).toEqual(required(manifest))
  })

  it('the lock file contains every optional dependency for all platforms, with a version and a hash', () => {
    const wanted = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).map((name) => ({ from, name })),
    )
    expect(wanted.length).toBeGreaterThan(0)
    const missing = wanted.filter(({ from, name }) => {
      const locked = find(name, from)
      return locked?.version === undefined || locked.integrity === undefined
    })
    expect(missing).toEqual([])
  })

  it.each(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64'])(
    'the lock file has the bundler, the linter and the compiler for %s',
    (platform) => {
      const names = Object.keys(packages)
      for (const tool of ['@biomejs/cli', '@rolldown/binding', '@typescript/typescript']) {
        expect(names.filter((name) => name.includes(`${tool}-${platform}`))).not.toEqual([])
      }
    },
  )

  it('the lock file does not name a registry, so that a mirror can be used', () => {
    expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })
})
