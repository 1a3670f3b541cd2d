import { expect, it } from 'vitest'
import { RefusedVariables } from '../../config/prepare-connection.ts'
import { errorLineIn, remedyFor, StartFailure } from './start-failure.ts'

const NODE = `node:internal/modules/cjs/loader:1404
  throw err;
  ^

Error: Cannot find module '/nope/x.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1401:15)
    at defaultResolveImpl (node:internal/modules/cjs/loader:1057:19) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v22.0.0
`
const REQUIRED = `node:internal/modules/cjs/loader:1143
  throw err;
  ^

Error: Cannot find module 'missing'
Require stack:
- /srv/a.cjs
    at Module._resolveFilename (node:internal/modules/cjs/loader:1140:15)
`
const PYTHON = `Traceback (most recent call last):
  File "server.py", line 1, in <module>
    import missing
ModuleNotFoundError: No module named 'missing'
`

it.each([
  ['a stack of Node', NODE, "Error: Cannot find module '/nope/x.js'"],
  ['a traceback of Python', PYTHON, "ModuleNotFoundError: No module named 'missing'"],
])('shows only the thrown error of %s, and keeps the whole text separately', (_, stderr, thrown) => {
  const failure = new StartFailure('it exited', { stderr })
  expect(failure.message).toBe(`it exited; it printed: ${thrown}`)
  expect(failure.stderr).toBe(stderr)
})

it('shows a short text without a stack completely', () => {
  expect(new StartFailure('it exited', { stderr: 'no key\nset API_KEY' }).message).toContain('no key\nset API_KEY')
})

it.each([
  [NODE, "Error: Cannot find module '/nope/x.js'"],
  [REQUIRED, "Error: Cannot find module 'missing'"],
  [PYTHON, "ModuleNotFoundError: No module named 'missing'"],
  [`${PYTHON}cleaning up\n`, "ModuleNotFoundError: No module named 'missing'"],
  ['starting\n\nERROR: port is in use\nError: second\nbye\n', 'ERROR: port is in use'],
  ['Usage: server FILE\n', 'Usage: server FILE'],
  ['hello\nbye\n', 'hello'],
  ['\n', undefined],
])('finds the line that reports the error in %j', (stderr, line) => {
  expect(errorLineIn(stderr)).toBe(line)
})

it.each([
  [
    ['NODE_OPTIONS'],
    "remove 'NODE_OPTIONS' from the config or the env file of this server, or to allow it with allowEnv",
  ],
  [
    ['NODE_OPTIONS', 'BASH_ENV'],
    "remove 'NODE_OPTIONS', 'BASH_ENV' from the config or the env file of this server, or to allow them with allowEnv",
  ],
])('the remedy for the refused variables %j names them and the setting that allows them', (names, remedy) => {
  expect(remedyFor(new RefusedVariables(names))).toContain(remedy)
})
