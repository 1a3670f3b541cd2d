// Loads the config of a test folder: `work` is the current folder, `home` is the home of the user.

import type { TempFolder } from '../temp-folder.fixture.ts'
import { type LoadedConfig, type LoadOptions, loadConfig } from './load.ts'

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

/** The file of a client with one server per name. */
export function mcpServers(...names: readonly string[]): object {
  return { mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) }
}
