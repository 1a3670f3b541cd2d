import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchLine, findProgram, isStartable } from './prepare-launch.ts'

const FILE = 'C:\\a b & c\\x.bat'
const node = { kind: 'forwards', programs: ['C:\\bin\\node.exe'] } as const

// A slow and obvious model of the parsers between us and the program.

/** One pass of cmd.exe over a line: it replaces variables, then reads quotes, carets and operators. */
function parseByShell(line: string): { readonly commands: readonly string[]; readonly hasRedirect: boolean } {
  const expanded = line.replace(/%[^%]*%/g, '(expanded)')
  const commands = ['']
  let isQuoted = false
  let hasRedirect = false
  for (let at = 0; at < expanded.length; at++) {
    const letter = expanded[at] ?? ''
    if (letter === '\n' || letter === '\r') break
    if (letter === '"') isQuoted = !isQuoted
    if (!isQuoted && letter === '^') commands.push((commands.pop() ?? '') + (expanded[++at] ?? ''))
    else if (!isQuoted && /[&|()]/.test(letter)) commands.push('')
    else if (!isQuoted && /[<>]/.test(letter)) hasRedirect = true
    else commands.push((commands.pop() ?? '') + letter)
  }
  return { commands, hasRedirect }
}

/** How the C runtime splits a command line, without the name of the program. */
function parseByProgram(line: string): readonly string[] {
  const args: string[] = []
  let current: string | undefined
  let isQuoted = false
  for (let at = 0; at < line.length; ) {
    const [run] = /^\\*/.exec(line.slice(at)) ?? ['']
    const isBeforeQuote = run !== '' && line[at + run.length] === '"'
    if (isBeforeQuote) {
      current = (current ?? '') + '\\'.repeat(run.length >> 1)
      at += run.length
      if (run.length % 2 === 1) {
        current += '"'
        at++
        continue
      }
    }
    const letter = line[at] ?? ''
    if (letter === '"') {
      current ??= ''
      if (isQuoted && line[at + 1] === '"') {
        current += '"'
        at += 2
        continue
      }
      isQuoted = !isQuoted
    } else if (!isQuoted && /[ \t]/.test(letter)) {
      if (current !== undefined) args.push(current)
      current = undefined
    } else {
      current = (current ?? '') + letter
    }
    at++
  }
  return current === undefined ? args : [...args, current]
}

/** The arguments of a program behind `levels` batch files that pass on `%*`. Undefined if anything else happens. */
function argumentsAfter(line: string, levels: number): readonly string[] | undefined {
  const [, inner = ''] = /^\/d \/e:on \/v:off \/s \/c "(.*)"$/s.exec(line) ?? []
  let text = inner
  for (let level = 0; level <= levels; level++) {
    const { commands, hasRedirect } = parseByShell(text)
    if (commands.length !== 1 || hasRedirect) return undefined
    text = commands[0] ?? ''
  }
  // The program replaces the batch file.
  return parseByProgram(text).slice(1)
}

const argLists = fc.array(
  fc.oneof(
    fc.string({ unit: fc.constantFrom(...'ab \t"&|<>^!()\\,;=-'), maxLength: 12 }),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  ),
  { maxLength: 5 },
)

describe('a line for cmd.exe', () => {
  it('passes every argument unchanged through one to three batch files, or is refused', () => {
    fc.assert(
      fc.property(argLists, fc.integer({ min: 1, max: 3 }), (args, levels) => {
        const made = batchLine(FILE, args, node)
        const isPossible = !args.some((arg) => /%|\p{Cc}/u.test(arg.replaceAll('\t', '')))
        expect(made.ok).toBe(isPossible)
        if (made.ok) expect(argumentsAfter(made.line, levels)).toEqual(args)
      }),
      { numRuns: 2_000 },
    )
  })

  it('writes no special characters for an opaque batch file', () => {
    fc.assert(
      fc.property(argLists, (args) => {
        const made = batchLine('C:\\x.bat', args, { kind: 'opaque' })
        if (made.ok) expect(made.line).not.toMatch(/[&|<>^%!()\r\n]/)
        if (made.ok) expect(argumentsAfter(made.line, 1)).toEqual(args)
      }),
      { numRuns: 1_000 },
    )
  })

  it('the model of cmd.exe in this test finds the faults of other quoting methods', () => {
    const injection = 'x" & echo ran> f & "y'
    const inQuotes = `/d /e:on /v:off /s /c ""C:\\x.bat" "${injection}""`
    expect(argumentsAfter(inQuotes, 1)).toBeUndefined()
    // One caret before each special character is removed by the first of two parsers.
    const escaped = `\\"${injection.replaceAll('"', '\\"')}\\"`.replace(/[&<>"|]/g, '^$&').replaceAll('^\\', '\\')
    const once = `/d /e:on /v:off /s /c ""C:\\x.bat" ${escaped}"`
    expect(argumentsAfter(once, 0)).toBeDefined()
    expect(argumentsAfter(once, 1)).toBeUndefined()
  })

  it('leaves plain words unquoted, because batch files compare them', () => {
    expect(batchLine('C:\\x.bat', ['start', '--port=1', 'C:\\a'], { kind: 'opaque' })).toEqual({
      ok: true,
      line: '/d /e:on /v:off /s /c ""C:\\x.bat" start "--port=1" C:\\a"',
    })
  })

  it.each([
    ['a line break', 'a\nb', node],
    ['a control character (U+0000)', 'a\0b', node],
    ['the character %', '100%', node],
    ['the character "', 'a "b"', { kind: 'forwards', programs: ['C:\\go.exe'] }],
    ['the character &', 'a&b', { kind: 'opaque' }],
    ['the character !', 'a!', { kind: 'opaque' }],
  ] as const)('refuses an argument with %s, and names the reason without the argument itself', (name, arg, batch) => {
    const made = batchLine('C:\\x.bat', ['ok', arg], batch)
    expect(made.ok ? '' : made.reason).toBe(
      `its argument 2 contains ${name}, which cannot be passed safely through the batch file 'C:\\x.bat'; ` +
        'set the command to the program that it starts, such as node or python with the script',
    )
  })

  it('refuses a line that cmd.exe would cut off, and a batch file with special characters in its path', () => {
    expect(batchLine('C:\\x.bat', ['x'.repeat(8_192)], node)).toMatchObject({ ok: false })
    expect(batchLine('C:\\100%\\x.bat', [], node)).toMatchObject({ ok: false })
  })
})

const NODEJS = 'C:\\Program Files\\nodejs'
const files = new Set(
  [`${NODEJS}\\npx`, `${NODEJS}\\npx.cmd`, `${NODEJS}\\npx.ps1`, 'C:\\tools\\a;b\\odd.exe', 'D:\\work\\npx.cmd'].concat(
    ['D:\\work\\run.bat', 'C:\\py\\server.py', 'C:\\py\\both.exe', 'C:\\py\\both.cmd'],
  ),
)
const isFile = async (path: string) => [...files].some((file) => file.toLowerCase() === path.toLowerCase())
const find = (command: string, env: Readonly<Record<string, string>> = {}) =>
  findProgram(command, {
    env: { Path: `${NODEJS};"C:\\tools\\a;b";;C:\\py`, PathExt: '.COM;.EXE;.BAT;.CMD;.JS', ...env },
    cwd: 'D:\\work',
    isFile,
  })

it('finds npx.cmd for npx, and not the shell script of the same name', async () => {
  expect((await find('npx'))?.toLowerCase()).toBe(`${NODEJS}\\npx.cmd`.toLowerCase())
})

it('reads quoted entries of PATH that contain a semicolon', async () => {
  expect(await find('odd')).toBe('C:\\tools\\a;b\\odd.exe')
})

it('tries the extensions in the order of PATHEXT, and the default ones without PATHEXT', async () => {
  expect(await find('both')).toBe('C:\\py\\both.exe')
  expect(await find('both', { PathExt: '.CMD;.EXE' })).toBe('C:\\py\\both.cmd')
  expect(await find('both', { PathExt: '' })).toBe('C:\\py\\both.exe')
})

it('looks for a path in the current folder, but not for a bare name', async () => {
  expect(await find('run')).toBeUndefined()
  expect(await find('.\\run')).toBe('D:\\work\\run.bat')
  expect(await find('./run.bat')).toBe('D:\\work\\run.bat')
  expect(await find('D:\\work\\run')).toBe('D:\\work\\run.bat')
})

it('finds a name with an extension unchanged, and knows which files Windows can start', async () => {
  expect(await find('server.py')).toBe('C:\\py\\server.py')
  expect(isStartable('C:\\py\\server.py')).toBe(false)
  expect(isStartable('C:\\py\\BOTH.EXE')).toBe(true)
})
