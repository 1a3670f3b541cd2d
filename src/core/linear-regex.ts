// Loads re2js at the first use, because loading it takes 10 ms and few processes need it.

import { createRequire } from 'node:module'

type LinearRegex = typeof import('re2js').RE2JS

let loaded: LinearRegex | undefined

export function linearRegex(): LinearRegex {
  // `require` gives the module that the type describes.
  loaded ??= (createRequire(import.meta.url)('re2js') as typeof import('re2js')).RE2JS
  return loaded
}
