// Makes a folder read-only. Modes do not stop root, so for root a read-only file system is mounted on the folder.

import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns a function that makes the folder writable again. Throws if root is not allowed to mount on this machine. */
export function makeReadOnly(folder: string): () => void {
  if (process.getuid?.() === 0) return mountReadOnly(folder)
  const all = [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))]
  const setModes = (modeOf: (isFolder: boolean) => number) => {
    for (const path of [...all].reverse()) chmodSync(path, modeOf(isFolderAt(path)))
  }
  setModes((isFolder) => (isFolder ? 0o500 : 0o400))
  return () => setModes((isFolder) => (isFolder ? 0o700 : 0o600))
}

function isFolderAt(path: string): boolean {
  try {
    readdirSync(path)
    return true
  } catch {
    return false
  }
}

function mountReadOnly(folder: string): () => void {
  const copy = join(tmpdir(), `read-only-${process.pid}-${Date.now()}`)
  cpSync(folder, copy, { recursive: true })
  runOrThrow('mount', '-t', 'tmpfs', '-o', 'size=32m,mode=700', 'none', folder)
  cpSync(copy, folder, { recursive: true })
  spawnSync('rm', ['-r', copy])
  runOrThrow('mount', '-o', 'remount,ro', folder)
  const isWritable = (() => {
    try {
      writeFileSync(join(folder, 'probe'), '')
      return true
    } catch {
      return false
    }
  })()
  if (isWritable) throw new Error(`${folder} can still be written.`)
  return () => runOrThrow('umount', '-l', folder)
}

function runOrThrow(command: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
}
