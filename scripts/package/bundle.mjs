// Builds the bundle for clients that install `.mcpb` files: the installed package and a manifest. Validates the manifest,
// and starts the server from the unpacked bundle, as a client does.

import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Installed when it is needed, because only this check uses it. */
const MCPB = '@anthropic-ai/mcpb@2.1.2'
/** Files that a running server does not need. */
const IGNORED = ['*.d.ts', '*.d.mts', '*.d.cts', '*.map', '*.md', 'package-lock.json']

/**
 * `installed` is a folder with the package in its node_modules. `run(cwd, command, input)` returns what a command prints,
 * and its exit code.
 */
export function checkBundle({ root, folder, installed: source, npm, run, expect, session }) {
  copyFileSync(join(root, 'mcpb/manifest.json'), join(source, 'manifest.json'))
  writeFileSync(join(source, '.mcpbignore'), IGNORED.join('\n'))
  const mcpb = (...words) => npm('exec', '--yes', `--package=${MCPB}`, '--', 'mcpb', ...words)
  expect('mcpb validate', run(source, mcpb('validate', 'manifest.json')), /\[exit 0\]$/)
  const { version } = JSON.parse(readFileSync(join(source, 'manifest.json'), 'utf8'))
  const file = join(root, 'build', `toolcrib-${version}.mcpb`)
  mkdirSync(join(root, 'build'), { recursive: true })
  rmSync(file, { force: true })
  expect('mcpb pack', run(source, mcpb('pack', '.', file)), /\[exit 0\]$/)

  const unpacked = join(folder, 'bundle')
  run(folder, mcpb('unpack', file, unpacked))
  const { server, tools } = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))
  const args = server.mcp_config.args.map((word) => word.replace(/\$\{__dirname\}/, unpacked))
  const listed = run(folder, [process.execPath, ...args], session)
  for (const { name } of tools) expect(`the bundle lists ${name}`, listed, `"${name}"`)
  console.log(`      ${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB`)
}
