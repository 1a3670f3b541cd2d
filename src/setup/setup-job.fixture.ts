// Test fixture: a setup command that runs in a temporary home folder.

import { join } from 'node:path'
import type { SetupJob } from './environment.ts'

export function setupJobIn(home: string, cwd = home): SetupJob {
  const environment = {
    version: '0',
    program: 'toolcrib',
    cwd,
    home,
    platform: process.platform,
    env: {},
    ownEnv: {},
    secretNames: [],
    stateDir: join(home, 'state'),
    cacheDir: join(home, 'cache'),
    configDir: join(home, 'config'),
  }
  return { environment, flags: {}, output: { note: () => {} }, signal: new AbortController().signal }
}
