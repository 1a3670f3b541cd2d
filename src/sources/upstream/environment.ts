// The environment of a server: a few variables of this process, and those of its configuration.

import { PARENT_CONFIGS } from '../../config/self.ts'
import { mergeVariables } from '../../core/variables.ts'

const SHARED_ON_POSIX = ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER']
const SHARED_ON_WINDOWS = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]

/** Only these variables are shared: a server must not see the secrets of other servers. */
export function environmentFor(
  configured: Readonly<Record<string, string>>,
  ours: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const isWindows = platform === 'win32'
  const wanted = new Set([...(isWindows ? SHARED_ON_WINDOWS : SHARED_ON_POSIX), PARENT_CONFIGS])
  const shared = Object.entries(ours).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      // Windows treats Path and PATH as the same variable.
      wanted.has(isWindows ? entry[0].toUpperCase() : entry[0]) &&
      // A shell function, not a value.
      !entry[1].startsWith('()'),
  )
  return mergeVariables([Object.fromEntries(shared), configured], platform)
}
