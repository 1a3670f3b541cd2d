// Test data for clients with the common `mcpServers` format.

import type { SampleServer } from './importer.contract.ts'

export function commonEntry({ off, ...server }: SampleServer): Record<string, unknown> {
  return { ...server, ...(off === true ? { disabled: true } : {}) }
}

export const MALFORMED_JSON = '{\n  "mcpServers": {"a" "b"}\n}'

/** The environment that paths depend on, by platform. */
export const environments = {
  linux: { home: '/h/ada', cwd: '/code/shop', platform: 'linux', env: {} },
  darwin: { home: '/h/ada', cwd: '/code/shop', platform: 'darwin', env: {} },
  win32: { home: 'C:\\Ada', cwd: 'D:\\shop', platform: 'win32', env: { APPDATA: 'C:\\Ada\\Roaming' } },
} as const
