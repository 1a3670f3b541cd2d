// Reads the environment of this process for servers in code. No other file in front/ reads it.

import { homedir } from 'node:os'
import type { PathEnv } from '../storage/paths.ts'

export function processEnvironment(): PathEnv {
  return { home: homedir(), platform: process.platform, env: process.env }
}
