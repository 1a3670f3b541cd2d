// Installs the other gateways, at pinned versions, into a temporary folder; this project does not depend on them.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Peer {
  readonly name: string
  readonly version: string
}

export const peers = {
  broker: { name: 'mcp-broker', version: '0.3.0' },
  hub: { name: 'mcp-hub-mcp', version: '1.3.1' },
} as const

/** Returns the file that `bin` names. The folder stays, so the next run installs nothing. */
export function installPeer({ name, version }: Peer): string {
  const folder = join(tmpdir(), 'toolcrib-peers', `${name}-${version}`)
  const marker = join(folder, '.installed')
  if (!existsSync(marker)) {
    console.error(`Installing ${name}@${version} into ${folder}; one that compiles native code takes minutes.`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }))
    npm(
      folder,
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--save-exact',
      `${name}@${version}`,
    )
    // A separate step: npm may be configured not to run install scripts, and one of them compiles native code.
    npm(folder, 'rebuild', '--ignore-scripts=false', '--loglevel=error')
    writeFileSync(marker, '')
  }
  const manifest = join(folder, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(manifest, 'package.json'), 'utf8')) as {
    readonly bin: Readonly<Record<string, string>> // checked by hand for the pinned versions
  }
  return join(manifest, bin[name] ?? '')
}

function npm(cwd: string, ...args: readonly string[]): void {
  // On Windows `npm` is a batch file; npm itself says which script is behind it.
  const { npm_execpath: script } = process.env
  const [command, ...first] = script === undefined ? ['npm'] : [process.execPath, script]
  const { status } = spawnSync(command ?? '', [...first, ...args], { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with ${status}`)
}
