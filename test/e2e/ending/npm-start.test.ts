// `npm start` ends the gateway together with npm, and explains a failed start. Runs `scripts/run.mjs` in a folder with this build, so nothing is built.

import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { printed, root } from '../cli/harness.ts'
import { homeForTest } from '../gateway/home.ts'
import { expectGone, startedBy } from '../gateway/processes.ts'

it.skipIf(process.platform === 'win32')('the gateway of npm start ends after a SIGTERM to npm only', async () => {
  const home = homeWithClone()
  const npm = spawn('npm', ['start', '--', '--port', '0'], { cwd: home.at('clone'), env: { ...home.env } })
  const banner = await printed(npm, 'Tokens a client pays')
  const url = /Listening on (\S+)/.exec(banner)?.[1] ?? ''
  const pids = startedBy(npm.pid ?? 0)
  onTestFinished(() => {
    for (const pid of pids) kill(pid)
  })
  expect((await fetch(url)).status).toBe(401)
  const isOver = new Promise((resolve) => npm.once('exit', resolve))
  npm.kill('SIGTERM')
  await isOver
  await expect.poll(() => fetch(url).catch(() => 'refused')).toBe('refused')
  await expectGone(pids)
  // It has ended in an orderly way: it has removed the registration of the gateway.
  expect(home.files(home.at('state', 'toolcrib', 'gateways'))).toEqual([])
})

it.each([
  [['--port', 'abc'], false],
  [[], true],
])('a failed start with the arguments %j has the advice to write `--`: %s', async (args, hasAdvice) => {
  const home = homeWithClone()
  const script = home.at('clone', 'scripts', 'run.mjs')
  const { stderr, status } = spawnSync(process.execPath, [script, 'start', ...args], {
    // Without arguments, the start fails because of the store.
    env: { ...home.env, TOOLCRIB_STORE: 'bogus' },
    encoding: 'utf8',
    timeout: 30_000,
  })
  expect(status).toBeGreaterThan(0)
  expect(stderr).toContain('Next:')
  expect(stderr.includes('npm passes on options only after `--`')).toBe(hasAdvice)
})

function homeWithClone() {
  const home = homeForTest()
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  home.write('clone/package.json', { name: 'clone', type: 'module', scripts: { start: scripts.start } })
  home.write('clone/node_modules/.installed', '')
  mkdirSync(home.at('clone', 'scripts'))
  copyFileSync(join(root, 'scripts', 'run.mjs'), home.at('clone', 'scripts', 'run.mjs'))
  symlinkSync(join(root, 'dist'), home.at('clone', 'dist'))
  return home
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
