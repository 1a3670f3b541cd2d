// Warnings of list, status, doctor and config validate about rules that cannot be read or do nothing.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from '../../../src/sources/upstream/upstream.fixture.ts'
import { createHome, run } from './harness.ts'

const home = createHome()
afterAll(() => home.remove())

const servers = {
  github: fixture('named-tools', 'create_issue', 'delete_issue'),
  files: fixture('named-tools', 'read_file', 'delete_file'),
}

function configOf(name: string, toolRules: readonly object[], more: object = {}): readonly string[] {
  return ['--config', home.write(`${name}.json`, { discovery: { servers: { ...servers, ...more }, toolRules } })]
}

const unreadable = configOf('unreadable', [{ server: 'github', pattern: '/delete(/', enabled: false }])
const odd = configOf('odd', [
  { pattern: '*issue*', server: 'github', enabled: true },
  { pattern: '*delete*', enabled: false },
  { pattern: '*deploy*', enabled: false },
  { pattern: '*issue*', tags: [] },
  { server: 'files', enabled: false },
])
const BROKEN = "Rule 1 cannot be read and disables every tool of server 'github' until it is corrected."
const EMPTY = "The rules leave server 'files' without a tool"

describe('before the servers were started', () => {
  it.each(['list', 'status'])(
    '%s warns that rules match no tool so far, and names the servers that were not started',
    async (command) => {
      const { code, stdout } = await run(home, [command, ...odd])
      expect(code).toBe(0)
      expect(stdout).toContain(
        "Warning: Rules 1, 2, 3, 5 match no tool so far: 'github', 'files' have not listed their tools\n",
      )
      expect(stdout).toContain('Warning: Rule 4 does nothing: its list of tags is empty\n')
      expect(stdout).not.toContain('matches no tool')
    },
  )

  it('config validate warns that rules match no tool so far, and names the servers that were not started', async () => {
    const { code, stdout } = await run(home, ['config', 'validate', ...odd])
    expect(code).toBe(0)
    expect(stdout).toContain(
      "warning: Rules 1, 2, 3, 5 match no tool so far: 'github', 'files' have not listed their tools",
    )
  })
})

describe('after the servers were started', () => {
  beforeAll(async () => {
    await run(home, ['doctor', ...odd])
  })

  it.each(['list', 'status', 'doctor'])(
    '%s reports a rule that cannot be read, and what it disables',
    async (command) => {
      const { code, stdout } = await run(home, [command, ...unreadable])
      expect(code).toBe(command === 'doctor' ? 3 : 0)
      expect(stdout).toContain(`Error: ${BROKEN} Pattern '/delete(/' cannot be used`)
      expect(stdout).toContain(
        "Warning: The rules leave server 'github' without a tool: all 2 are disabled by rule 1\n",
      )
    },
  )

  it('doctor counts a rule that cannot be read, and with a server shows only the rules for that server', async () => {
    const all = await run(home, ['doctor', ...unreadable])
    expect(all.stdout).toContain('Doctor (2 servers, 1 error in the configuration):')
    const one = await run(home, ['doctor', 'github', ...unreadable])
    expect(one.code).toBe(3)
    expect(one.stdout).toContain(`Error: ${BROKEN}`)
    const other = await run(home, ['doctor', 'files', ...unreadable])
    expect(other).toMatchObject({ code: 0, stdout: expect.stringContaining('Doctor (1 server, all healthy):') })
    expect(other.stdout).not.toMatch(/Warning|Error/)
  })

  it('status, search and execute report that the rule behind a disabled tool cannot be read', async () => {
    const status = await run(home, ['status', ...unreadable])
    expect(status.stdout).toContain('Next: toolcrib config validate')
    expect(status.stdout.replace(/\s+/g, ' ')).toContain(`shows how to correct it: ${BROKEN}`)
    const search = await run(home, ['search', 'create issue', '--server', 'github', ...unreadable])
    expect(search.stdout.replace(/\s+/g, ' ')).toContain('Rule 1 cannot be read, and disables more tools than intended')
    const execute = await run(home, ['execute', 'github:create_issue', ...unreadable])
    const printed = execute.stderr.replace(/\s+/g, ' ')
    expect(printed).toContain("'github:create_issue' is disabled, because rule 1 of toolRules cannot be read")
    expect(printed).toContain('Next: Correct rule 1 of toolRules in ')
  })

  it('list, status and config validate suggest the right name for a rule with an unknown server', async () => {
    const typo = configOf('typo', [{ server: 'githb', pattern: '*', enabled: false }])
    for (const words of [['list'], ['status'], ['config', 'validate']]) {
      const { stdout } = await run(home, [...words, ...typo])
      expect(stdout.replace(/\s+/g, ' ')).toContain("no server is named 'githb'. Did you mean 'github'?")
    }
  })

  it('list prints the same warnings from the cache as from the gateway, and has them in JSON', async () => {
    const texts = [await run(home, ['list', ...unreadable]), await run(home, ['list', '--verbose', ...unreadable])]
    expect(texts[0]?.stdout).toBe(texts[1]?.stdout)
    const { stdout } = await run(home, ['list', '--json', ...unreadable])
    expect(JSON.parse(stdout)).toMatchObject({ warnings: [expect.stringContaining(BROKEN), expect.any(String)] })
  })

  it.each(['list', 'status', 'doctor'])(
    '%s names rules without effect and servers without an enabled tool',
    async (command) => {
      const { stdout } = await run(home, [command, ...odd])
      expect(stdout).toContain('Warning: Rule 3 matches no tool\n')
      expect(stdout).toContain('Warning: Rule 4 does nothing')
      expect(stdout).toContain(`Warning: ${EMPTY}: all 2 are disabled by rules 2, 5\n`)
      expect(stdout).not.toMatch(/not listed (its|their) tools/)
    },
  )

  it('config validate names rules without effect, servers without an enabled tool, and tools that an earlier rule keeps enabled', async () => {
    const { code, stdout } = await run(home, ['config', 'validate', ...odd])
    expect(code).toBe(0)
    expect(stdout).toContain('warning: Rule 3 matches no tool')
    expect(stdout).toContain(`warning: ${EMPTY}`)
    expect(stdout).toContain(
      "warning: Rule 2 does not disable 'github:delete_issue': rule 1 has precedence and enables it",
    )
    const wrong = await run(home, ['config', 'validate', ...unreadable])
    expect(wrong.code).toBe(2)
    expect(wrong.stdout).toContain(`discovery.toolRules[0].pattern[0]: ${BROKEN}`)
  })

  it('list, status and doctor print no warning for rules that work', async () => {
    const good = configOf('good', [{ pattern: '*delete*', enabled: false }])
    for (const command of ['list', 'status', 'doctor']) {
      const { code, stdout } = await run(home, [command, ...good])
      expect(code, command).toBe(0)
      expect(stdout, command).not.toMatch(/Warning|Error/)
    }
  })
})
