// Runs `agent.mjs` of an example with the packages that its package.json names, at exactly these versions. They are
// installed into a temporary folder, because this project does not depend on them. The folder is kept for the next run.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configWith, createWorkspace, PROGRAM } from './toolcrib.ts'

/** Ends npm if the registry does not answer, and an agent that hangs. */
const MAX_RUN_MS = 150_000

/** The agent gets the path of the program in the variable `TOOLCRIB`. The config in its home has three servers. */
export async function runWithPackages(example: string): Promise<void> {
  const folder = fileURLToPath(new URL(`../../../examples/${example}`, import.meta.url))
  const packages = await install(join(folder, 'package.json'))
  copyFileSync(fileURLToPath(new URL('./scripted-model.js', import.meta.url)), join(packages, 'scripted-model.mjs'))
  copyFileSync(join(folder, 'agent.mjs'), join(packages, 'agent.mjs'))

  await using work = createWorkspace()
  work.write('.toolcrib/config.json', configWith('notes', 'shop', 'tracker'))
  await run(process.execPath, ['agent.mjs'], packages, { ...work.env, TOOLCRIB: PROGRAM })
}

async function install(manifest: string): Promise<string> {
  const hash = createHash('sha256').update(readFileSync(manifest)).digest('hex').slice(0, 12)
  const folder = join(tmpdir(), `toolcrib-example-packages-${hash}`)
  if (existsSync(folder)) return folder
  // npm works in a folder of this process, so that an interrupted run leaves no incomplete installation behind.
  const draft = `${folder}.${process.pid}`
  mkdirSync(draft)
  try {
    copyFileSync(manifest, join(draft, 'package.json'))
    const { npm_execpath: npm } = process.env
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    if (npm === undefined) await run('npm', args, draft, process.env)
    else await run(process.execPath, [npm, ...args], draft, process.env)
    renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return folder
}

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'], timeout: MAX_RUN_MS })
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`${args.join(' ')} ended with ${code ?? signal}.`)),
    )
  })
}
