// Installs a package that this project does not depend on: from npm, at a pinned version, into a temporary folder.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killOnExit } from './speed/kill-on-exit.ts'

export interface PinnedPackage {
  readonly name: string
  readonly version: string
}

export interface InstallOptions {
  /** A folder inside the temporary folder. It is kept, so the next run installs nothing. */
  readonly cache: string
  /** Runs the install scripts, which some packages need to compile native code. */
  readonly withScripts?: boolean
}

/** Returns the folder that contains `node_modules`. */
export async function installPackage({ name, version }: PinnedPackage, options: InstallOptions): Promise<string> {
  // Native code is compiled for one version of Node's interface.
  const suffix = options.withScripts === true ? `-abi${process.versions.modules}` : ''
  const folder = join(tmpdir(), options.cache, `${name}-${version}${suffix}`)
  if (existsSync(folder)) return folder
  console.error(`Installing ${name}@${version} ...`)
  // npm works in a folder of this process, so an interrupted run leaves no half-installed package in the cache.
  const draft = `${folder}.${process.pid}`
  const remove = () => rmSync(draft, { recursive: true, force: true })
  // The folder is also removed if another installation fails and ends the process.
  process.once('exit', remove)
  mkdirSync(draft, { recursive: true })
  try {
    writeFileSync(join(draft, 'package.json'), JSON.stringify({ private: true }))
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1', '--fetch-timeout=60000']
    await npm(draft, 'install', '--ignore-scripts', ...quiet, '--save-exact', `${name}@${version}`)
    // A separate step: npm may be configured not to run install scripts.
    if (options.withScripts) await npm(draft, 'rebuild', '--ignore-scripts=false', '--loglevel=error')
    // Another run may have installed the same package meanwhile.
    if (!existsSync(folder)) renameSync(draft, folder)
  } finally {
    remove()
    process.off('exit', remove)
  }
  return folder
}

/** The script of a command. By default, this is the command that is named like the package, or its only command. */
export function scriptOf(folder: string, { name }: PinnedPackage, command?: string): string {
  const root = join(folder, 'node_modules', name)
  // npm checks the form of this file.
  const { bin = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly bin?: string | Readonly<Record<string, string>>
  }
  const ownName = name.slice(name.indexOf('/') + 1)
  const scripts = typeof bin === 'string' ? { [ownName]: bin } : bin
  const [only, ...others] = Object.values(scripts)
  const script = scripts[command ?? ownName] ?? (command === undefined && others.length === 0 ? only : undefined)
  if (script === undefined) throw new Error(`${name} has no command '${command ?? ownName}'.`)
  return join(root, script)
}

async function npm(cwd: string, ...args: readonly string[]): Promise<void> {
  // On Windows `npm` is a batch file, which Node can only start through a shell. npm names its script in this variable.
  const { npm_execpath: script } = process.env
  const [command, ...first] = script === undefined ? ['npm'] : [process.execPath, script]
  const child = spawn(command ?? '', [...first, ...args], { cwd, stdio: ['ignore', process.stderr, process.stderr] })
  child.once('exit', killOnExit(child))
  const [status] = await once(child, 'close')
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with ${status}. It needs the npm registry.`)
}
