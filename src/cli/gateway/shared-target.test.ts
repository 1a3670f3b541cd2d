import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { addApproval } from '../../setup/approvals.ts'
import { DEFAULT_CLIENT, sharedTarget } from './shared-target.ts'

function folders() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-shared-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return {
    cwd: folder,
    home: '/users/ada',
    configDir: '/users/ada/.config',
    stateDir: join(folder, 'state'),
    ownEnv: {},
  }
}

it('clients with different names and output flags join the same gateway', async () => {
  const at = folders()
  const one = await sharedTarget(['serve', '--shared', '--client', 'cursor'], at)
  const other = await sharedTarget(['serve', '--client=vscode', '--shared', '-q'], at)
  expect(one).toMatchObject({ client: 'cursor', folder: '/users/ada', args: ['serve'] })
  expect(other).toEqual({ ...one, client: 'vscode' })
})

it('options before the command choose the same gateway as options after it', async () => {
  const at = folders()
  for (const before of [['--config', 'a.json'], ['--config=a.json'], ['--quiet'], ['-q', '--config', 'a.json']]) {
    const [one, other] = await Promise.all(
      [
        [...before, 'serve', '--shared'],
        ['serve', ...before, '--shared'],
      ].map((words) => sharedTarget(words, at)),
    )
    expect(one?.args.filter((word) => word === 'serve')).toHaveLength(1)
    expect(one).toEqual(other)
  }
})

it('clients with different configs or strategies join different gateways', async () => {
  const at = folders()
  const targets = await Promise.all(
    [[], ['--config', 'a.json'], ['--config=b.json'], ['--strategy', 'lazy']].map((words) => sharedTarget(words, at)),
  )
  expect(new Set(targets.map(({ key }) => key)).size).toBe(4)
  expect(targets.map(({ args }) => args)).toEqual([
    ['serve'],
    ['serve', '--config', join(at.cwd, 'a.json')],
    ['serve', '--config', join(at.cwd, 'b.json')],
    ['serve', '--strategy', 'lazy'],
  ])
  expect(targets[0]?.client).toBe(DEFAULT_CLIENT)
})

it('clients that write the path of one config in two ways join the same gateway', async () => {
  const at = folders()
  const [one, other] = await Promise.all(
    ['~/c.json', '/users/ada/c.json'].map((file) => sharedTarget(['--config', file], at)),
  )
  expect(one).toEqual(other)
})

it('a folder has its own gateway only if one of its files is approved', async () => {
  const at = folders()
  const before = await sharedTarget([], at)
  const path = join(at.cwd, '.mcp.json')
  await addApproval(at.stateDir, { path, realPath: path, folder: at.cwd, sha256: '0' })
  const after = await sharedTarget([], at)
  expect([before.folder, after.folder]).toEqual([at.home, at.cwd])
  expect(after.key).not.toBe(before.key)
})

it.each<[object, boolean]>([
  [{ TERM: 'x', PATH: '/other', VSCODE_GIT_TOKEN: 'a', TOKENIZERS_PARALLELISM: 'true' }, true],
  [{ GITHUB_TOKEN: 'a' }, false],
  [{ AWS_PROFILE: 'prod' }, false],
  [{ OPENAI_API_KEY: 'a' }, false],
])('a client with %j in its environment joins the same gateway as one without: %s', async (ownEnv, isSame) => {
  const at = folders()
  const one = await sharedTarget([], at)
  const other = await sharedTarget([], { ...at, ownEnv: { ...ownEnv } })
  expect(other.key === one.key).toBe(isSame)
})

it('clients with different config folders join different gateways', async () => {
  const at = folders()
  const one = await sharedTarget([], at)
  expect((await sharedTarget([], { ...at, configDir: '/users/ada/.config2' })).key).not.toBe(one.key)
})
