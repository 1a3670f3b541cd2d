// Servers that ask questions while their tools run: a person at a terminal answers. Without a terminal, the questions of a
// legacy server are declined, and a call to a modern server fails.

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { covers, createHome, hasTerminal, processesWith, root, run, runOnTerminal, serverScript } from './harness.ts'

const home = createHome()
const fixture = (name: string) => ({
  command: process.execPath,
  args: [join(root, 'build', 'test', 'fixtures', 'upstream', `${name}.js`), home.folder],
})
beforeAll(async () => {
  const everything = { command: process.execPath, args: [serverScript('everything'), 'stdio', home.folder] }
  home.write('.config/toolcrib/config.json', {
    discovery: { servers: { legacy: fixture('asks'), modern: fixture('asks-modern'), everything } },
  })
  await run(home, ['search', 'anything'])
})
afterAll(async () => {
  expect(processesWith(home.folder)).toEqual([])
  await home.remove()
})

const YES = ['Do you want to answer? [Y/n] ', '\n'] as const
const onTerminal = (server: string, tool: string, typed: readonly (readonly [string, string])[]) =>
  runOnTerminal(home, ['execute', server, tool], { typed, env: { NO_COLOR: '1' } })

describe.skipIf(!hasTerminal).each(['legacy', 'modern'])('on a terminal, a %s server', (server) => {
  it('a server gets the answers of the person to its questions, one question at a time', async () => {
    covers('CLI-ASKED')
    const { stdout, code } = await onTerminal(server, 'both', [YES, ['name: ', 'Ada\n'], YES, ['town: ', 'London\n']])
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`${server}:both asks you:\n {2}\\[server "${server}"\\] Your name\\?\n`))
    expect(stdout.replaceAll(/\s+/g, '')).toMatch(/Result:.*accept.*name:Ada.*accept.*town:London/)
  })

  it.each([
    ['n', [['[Y/n] ', 'n\n']]],
    ['Ctrl-D', [YES, ['name: ', '\u0004']]],
  ] as const)('a server gets a decline when the person types %s', async (_, first) => {
    covers('CLI-ASKED')
    const { stdout } = await onTerminal(server, 'interview', [...first, YES, ['town: ', '\n']])
    expect(stdout.replaceAll(/\s+/g, '')).toMatch(/Result:.*name:action:declinetown:action:accept/)
  })

  it.each([
    ['y\n', 'accept'],
    ['\n', 'decline'],
  ])('the URL that a server wants to open is shown, and the answer %j means %s', async (keys, action) => {
    covers('CLI-ASKED')
    const { stdout } = await onTerminal(server, 'visit', [['Do you agree to open this address? [y/N] ', keys]])
    expect(stdout).toContain(`${server}:visit asks you:\n  [server "${server}"] Please sign in\n  https://x.test/\n`)
    expect(stdout).toContain(`action: ${action}`)
  })
})

it.skipIf(!hasTerminal)(
  'after Ctrl-C at the first of two questions, execute ends without the second question',
  async () => {
    covers('CLI-ASKED')
    const { stdout, code } = await onTerminal('legacy', 'both', [['[Y/n] ', '\u0003']])
    expect(code).toBe(130)
    expect(stdout.match(/asks you:/g)).toHaveLength(1)
    expect(stdout.match(/\[Y\/n\]/g)).toHaveLength(1)
  },
)

it.skipIf(!hasTerminal)(
  'a form is asked field by field, with types, choices and defaults, until each value is valid',
  async () => {
    covers('CLI-ASKED')
    const { stdout } = await onTerminal('everything', 'trigger-elicitation-request', [
      YES,
      ['name: ', '\n'],
      ['name: a value is required', 'Ada\n'],
      ['y or n, optional', 'x\n'],
      ['check: enter y or n', 'y\n'],
      ['firstLine [It was a dark and stormy night.]: ', '\n'],
      ['email: ', '\n'],
      ['homepage: ', '\n'],
      ['birthdate: ', '\n'],
      ['integer [42]: ', 'many\n'],
      ['integer: enter a whole number, 1 to 100', '1000\n'],
      ['integer: ', '7\n'],
      ['number [3.14]: ', '\n'],
      ['one of Monica, Rachel', 'Joey\n'],
      ['untitledMultipleSelectEnum [Guitar]: ', 'Piano,Bass\n'],
      ['one of Superman, Green Lantern, Wonder Woman', 'Batman\n'],
      ['titledSingleSelectEnum: enter one of Superman', 'green lantern\n'],
      ['some of Tuna, Salmon, Trout, separated by commas', ''],
      ['titledMultipleSelectEnum [Tuna]: ', 'Salmon, Trout\n'],
      ['one of Cats, Dogs, Birds, Fish, Reptiles', ''],
      ['legacyTitledEnum [Cats]: ', '\n'],
    ])
    expect(stdout).toContain('User provided the requested information')
    // The titles of the fields, and validation messages without the prefix `Input:`.
    for (const title of ['String with uri format', 'Number in range 1-1000']) expect(stdout).toContain(`${title};`)
    expect(stdout).toMatch(/integer: .*100/)
    expect(stdout).not.toContain('Input:')
    expect(stdout).toMatch(/"check": true,/)
    expect(stdout).toMatch(/"integer": 7,/)
    expect(stdout).toMatch(/"titledSingleSelectEnum": "hero-2",/)
    expect(stdout).toMatch(/"titledMultipleSelectEnum": \[\s+"fish-2",\s+"fish-3"\s+\]/)
    expect(stdout).toMatch(/"legacyTitledEnum": "pet-1"/)
    expect(stdout).toMatch(/"untitledMultipleSelectEnum": \[\s+"Piano",\s+"Bass"\s+\]/)
    expect(stdout).not.toContain('"email"')
  },
)

describe('without a terminal', () => {
  it('a legacy server gets a decline without a terminal, and stderr shows what it asked', async () => {
    covers('CLI-ASKED')
    const { stdout, stderr } = await run(home, ['execute', 'legacy', 'visit'])
    expect(stdout).toContain('action: decline')
    expect(stderr).toBe(
      'legacy:visit asked for input: "[server "legacy"] Please sign in" (https://x.test/). The request was declined, because no person can be asked. To answer such a request, run the command on a terminal without --json.\n',
    )
    const interview = await run(home, ['execute', 'legacy', 'interview', '--json'])
    expect(interview.stderr).toContain('legacy:interview asked for input: "[server "legacy"] Your town?" (town).')
  })

  it('a call to a modern server fails without a terminal, because the client declares no elicitation', async () => {
    covers('CLI-ASKED')
    const { stderr, code } = await run(home, ['execute', 'modern', 'interview'])
    expect(code).toBe(3)
    expect(stderr).toContain('modern:interview asks the user questions (elicitation), and no person can be asked')
    expect(stderr).toContain('Next: Run it on a terminal, without --json')
  })

  it.each([
    ['modern', 'sample'],
    ['everything', 'trigger-sampling-request'],
  ])('%s %s fails with the reason that it asks the model of the client', async (server, tool) => {
    covers('CLI-ASKED')
    const { stderr, code } = await run(home, ['execute', server, tool, '--args', '{"prompt":"hi"}'])
    expect(code).toBe(3)
    expect(stderr).toContain(`${server}:${tool} asks the model of the client (sampling)`)
    expect(stderr).not.toContain('correct the arguments')
  })

  it('execute prints a note on stderr if a tool succeeds without the model that it asked for', async () => {
    covers('CLI-ASKED')
    const { stderr, code } = await run(home, ['execute', 'legacy', 'sample'])
    expect(code).toBe(0)
    expect(stderr).toBe('legacy:sample asked for the answer of a model, but the command line has no model.\n')
  })
})
