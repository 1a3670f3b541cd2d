// Runs tools of real servers from the command line.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { covers, ended, hasTerminal, printed, root, run, runOnTerminal, start, useRealHome } from './harness.ts'

const home = useRealHome()
const cli = (...args: readonly string[]) => run(home, ['execute', ...args])

describe('the arguments of execute', () => {
  const expected = { success: true, result: { content: 'first' } }

  it.each([
    ['JSON', ['--args', '{"path":"notes.txt","head":1}'], ''],
    ['a file', ['--args', '@args.json'], ''],
    ['stdin', ['--args', '-'], '{"path":"notes.txt","head":1}'],
    ['pairs, typed by the schema', ['path=notes.txt', 'head=1'], ''],
  ])('execute reads the arguments from %s', async (_, args, input) => {
    covers('CLI-ARGS')
    writeFileSync(join(home.cwd, 'args.json'), '{"path":"notes.txt","head":1}')
    const ran = await run(home, ['execute', 'files', 'read_text_file', ...args, '--json'], { input })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ran.stdout)).toEqual(expected)
  })

  it.each([
    [['files:read_text_file', '--args', '{bad'], '--args is not valid JSON'],
    [['files:read_text_file', '--args', '[]'], '--args is not a JSON object'],
    [['files:read_text_file', '--args', '@nowhere.json'], "'nowhere.json' does not exist"],
    [['files:read_text_file', 'path=notes.txt', 'head=many'], "'head': expected a number, received 'many'"],
    [['files:read_text_file', 'head=1'], "Required field 'path' is missing"],
  ])('execute refuses invalid arguments with exit code 1 and the reason: %j', async (args, reason) => {
    covers('CLI-ARGS', 'CLI-EXIT-ARGS')
    const ran = await cli(...args)
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/^✗ Error\n\nCode: \w+\nMessage: .+\nServer: files\nTool: read_text_file\nNext: .+\n$/)
    expect(ran.stderr).toContain(reason)
    const { success, error } = JSON.parse((await cli(...args, '--json')).stdout)
    expect({ success, server: error.server, tool: error.tool }).toEqual({
      success: false,
      server: 'files',
      tool: 'read_text_file',
    })
  })

  it.skipIf(!hasTerminal)('execute asks for missing arguments on a terminal', async () => {
    covers('CLI-ARGS-ASK')
    const ran = await runOnTerminal(home, ['execute', 'everything:get-sum'], {
      input: 'x\n2\n40\n',
      env: { NO_COLOR: '1' },
    })
    expect(ran.stdout).toContain('a: enter a number')
    expect(ran.stdout).toMatch(/a: [\s\S]*b: [\s\S]*The sum of 2 and 40 is 42/)
    expect(ran.code).toBe(0)
  })
})

describe('a result of execute', () => {
  it('execute prints a result in a fixed format', async () => {
    covers('CLI-EXECUTE', 'CLI-PAIR', 'CLI-QUIET')
    expect(await cli('files', 'read_text_file', 'path=notes.txt')).toEqual({
      code: 0,
      stderr: '',
      stdout: 'Executing: files:read_text_file\n\n✓ Success\n\nResult:\n  first\n  second\n',
    })
    expect((await cli('files:read_text_file', 'path=notes.txt', '--quiet')).stdout).toBe('first\nsecond\n')
  })

  it('execute prints an object as YAML', async () => {
    const { stdout } = await cli('everything', 'get-structured-content', 'location=Chicago')
    expect(stdout).toMatch(/Result:\n {2}temperature: \d+\n {2}conditions: /)
  })

  it('execute describes binary content, and saves it with --out', async () => {
    covers('CLI-OUT')
    expect((await cli('everything:get-tiny-image')).stdout).toContain(
      '(image, image/png, 4,033 bytes; use --out DIR to save it)',
    )
    const { stdout } = await cli('everything:get-tiny-image', '--out', 'pictures', '--json')
    const { content } = JSON.parse(stdout)
    expect(content[1]).toEqual({
      type: 'image',
      mimeType: 'image/png',
      file: 'pictures/get-tiny-image-1.png',
      bytes: 4033,
    })
    expect(readFileSync(join(home.cwd, content[1].file)).subarray(1, 4).toString()).toBe('PNG')
    await cli('everything:get-tiny-image', '--out', 'pictures')
    expect(readdirSync(join(home.cwd, 'pictures'))).toEqual(['get-tiny-image-1.png', 'get-tiny-image-2.png'])
  })

  it('execute prints the result of a tool that has run, even if its content cannot be saved', async () => {
    covers('CLI-OUT')
    home.write('project/a-file', 'text')
    const { code, stdout, stderr } = await cli('everything:get-tiny-image', '--out', 'a-file', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout).content[1]).toMatchObject({ type: 'image', data: expect.stringMatching(/^iVBOR/) })
    expect(stderr).toContain('The tool has run, but its content was not saved in a-file: ')
  })

  it('execute records its calls in the audit log, without their arguments', async () => {
    covers('CLI-EXECUTE-RULES')
    const log = readFileSync(join(home.folder, '.local/state/toolcrib/audit.jsonl'), 'utf8')
    const records = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(records).toContainEqual(
      expect.objectContaining({
        server: 'files',
        tool: 'read_text_file',
        outcome: 'ok',
        caller: expect.objectContaining({ principal: 'cli' }),
      }),
    )
    expect(log).not.toContain('notes.txt')
  })
})

describe('a failure of execute', () => {
  it('execute prints the error of a tool in a fixed format with exit code 3', async () => {
    covers('CLI-EXECUTE-ERROR', 'CLI-EXECUTE-JSON')
    const ran = await cli('files', 'read_text_file', 'path=missing.txt')
    expect(ran).toMatchObject({ code: 3, stdout: 'Executing: files:read_text_file\n\n' })
    expect(ran.stderr).toMatch(
      /^✗ Error\n\nCode: TOOL_EXECUTION_ERROR\nMessage: .*missing\.txt.*\nServer: files\nTool: read_text_file\nNext: /,
    )
    const { stdout } = await cli('files', 'read_text_file', 'path=missing.txt', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      success: false,
      error: { code: 'TOOL_EXECUTION_ERROR', server: 'files', tool: 'read_text_file' },
    })
  })

  it.each([
    [['nowhere', 'x'], 2, 'SERVER_NOT_FOUND'],
    [['files', 'nothing'], 2, 'TOOL_NOT_FOUND'],
    [['files', 'write_file', 'path=a', 'content=b'], 4, 'TOOL_DISABLED'],
    [['files:read_text_file', 'path=1', 'head=1', '--args', '{"tail":"x"}'], 1, 'VALIDATION_ERROR'],
  ])('execute %j fails with exit code %i and error code %s', async (args, code, error) => {
    covers('CLI-EXECUTE-JSON', 'CLI-EXECUTE-RULES')
    const ran = await cli(...args, '--json')
    expect(ran.code).toBe(code)
    expect(JSON.parse(ran.stdout)).toMatchObject({ success: false, error: { code: error } })
  })

  it('execute exits with 3 if the server cannot start', async () => {
    covers('CLI-EXIT-UNAVAILABLE')
    const config = home.write('broken.json', { discovery: { servers: { broken: { command: 'no-such-program' } } } })
    const ran = await run(home, ['execute', 'broken', 'x', '--config', config])
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('Code: SERVER_UNAVAILABLE')
    expect(ran.stderr).toContain('toolcrib doctor broken')
  })
})

describe('during a call of execute', () => {
  it('execute prints progress on stderr with --stream, and never on stdout', async () => {
    covers('CLI-STREAM', 'CLI-PROGRESS')
    const args = ['everything:trigger-long-running-operation', 'duration=0.2', 'steps=2']
    const streamed = await cli(...args, '--stream', '--json')
    expect(streamed.stderr).toMatch(/^\[#{10}-{10}\] 1\/2\n\[#{20}\] 2\/2\n$/)
    expect(JSON.parse(streamed.stdout)).toMatchObject({ success: true })
    expect((await cli(...args)).stderr).toBe('')
  })

  it('Ctrl-C during execute cancels the call at its server, prints that and exits with 130', async () => {
    covers('CLI-CANCEL', 'CLI-EXIT-CTRL-C')
    const file = join(home.folder, 'cancelled.txt')
    const args = [join(root, 'test/e2e/cli/cancel-server.mjs'), file]
    const config = home.write('slow.json', { discovery: { servers: { slow: { command: process.execPath, args } } } })
    const child = start(home, ['execute', 'slow:wait', '--stream', '--config', config])
    const done = ended(child)
    await printed(child, 'begun', 'stderr')
    child.kill('SIGINT')
    const ran = await done
    expect(ran.code).toBe(130)
    expect(ran.stderr).toContain('slow:wait was cancelled, and its server was notified')
    expect(existsSync(file)).toBe(true)
  })
})
