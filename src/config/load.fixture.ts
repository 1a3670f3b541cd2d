// Loading the config of a folder that a test has made: `work` in it is the current folder, `home` the user's.

import { type LoadedConfig, type LoadOptions, loadConfig } from './load.ts'
import type { TempFolder } from './temp-folder.fixture.ts'

export function load(folder: TempFolder, options: Partial<LoadOptions> = {}): Promise<LoadedConfig> {
  return loadConfig({
    cwd: folder.at('work'),
    home: folder.at('home'),
    configDir: folder.at('home', '.config', 'toolcrib'),
    platform: 'linux',
    env: {},
    ...options,
  })
}

export function namesOf({ servers }: Pick<LoadedConfig, 'servers'>): string[] {
  return servers.map(({ name }) => name)
}

/** A client's file with one server per name. */
export function mcpServers(...names: readonly string[]): object {
  return { mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) }
}
