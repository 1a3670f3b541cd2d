// A config of every client, with its path on each platform, relative to the home folder or to the project.

export type Platform = 'linux' | 'darwin' | 'win32'

export interface ClientFixture {
  readonly client: string
  /** Relative to the home folder, with slashes. */
  readonly user: Readonly<Record<Platform, string>>
  /** Relative to the project; absent if the client has no project file. */
  readonly project?: string
  /** The names of the servers in `text`. */
  readonly servers: readonly string[]
  /** The content of the user file, and of the project file if there is one. `project` is the path of the project. */
  text(project: string): string
}

export const SECRET = 'literal-secret'

const everywhere = (path: string): ClientFixture['user'] => ({ linux: path, darwin: path, win32: path })
const inSettings = (path: string): ClientFixture['user'] => ({
  linux: `.config/${path}`,
  darwin: `Library/Application Support/${path}`,
  win32: `AppData/Roaming/${path}`,
})
const entry = (name: string) => ({
  [name]: { command: 'run', args: [name], env: { [`${name.toUpperCase()}_TOKEN`]: SECRET } },
})
const json = (value: unknown) => JSON.stringify(value, null, 2)

export const clientFixtures: readonly ClientFixture[] = [
  {
    client: 'claude-desktop',
    user: inSettings('Claude/claude_desktop_config.json'),
    servers: ['desktop'],
    text: () => json({ mcpServers: entry('desktop') }),
  },
  {
    client: 'claude-code',
    user: everywhere('.claude.json'),
    project: '.mcp.json',
    servers: ['code', 'here'],
    text: (project) => json({ mcpServers: entry('code'), projects: { [project]: { mcpServers: entry('here') } } }),
  },
  {
    client: 'cursor',
    user: everywhere('.cursor/mcp.json'),
    project: '.cursor/mcp.json',
    servers: ['cursor'],
    text: () => json({ mcpServers: entry('cursor') }),
  },
  {
    client: 'vscode',
    user: inSettings('Code/User/mcp.json'),
    project: '.vscode/mcp.json',
    servers: ['vscode'],
    text: () => '// mine\n{"servers": {"vscode": {"type": "stdio", "command": "run",}}}',
  },
  {
    client: 'copilot',
    user: everywhere('.copilot/mcp-config.json'),
    project: '.mcp.json',
    servers: ['copilot'],
    text: () => json({ mcpServers: entry('copilot') }),
  },
  {
    client: 'windsurf',
    user: everywhere('.codeium/windsurf/mcp_config.json'),
    servers: ['windsurf'],
    text: () => json({ mcpServers: { windsurf: { serverUrl: 'https://example.com/mcp' } } }),
  },
  {
    client: 'codex',
    user: everywhere('.codex/config.toml'),
    project: '.codex/config.toml',
    servers: ['codex'],
    text: () => '[mcp_servers.codex]\ncommand = "run"\nenabled_tools = ["a"]\n',
  },
  {
    client: 'gemini',
    user: everywhere('.gemini/settings.json'),
    project: '.gemini/settings.json',
    servers: ['gemini'],
    text: () => json({ mcpServers: { gemini: { httpUrl: 'https://example.com/mcp' } } }),
  },
  {
    client: 'zed',
    user: { ...everywhere('.config/zed/settings.json'), win32: 'AppData/Roaming/Zed/settings.json' },
    project: '.zed/settings.json',
    servers: ['zed'],
    text: () => '{"context_servers": {"zed": {"command": {"path": "run", "args": []}}}} // mine',
  },
  {
    client: 'opencode',
    user: everywhere('.config/opencode/opencode.json'),
    project: 'opencode.json',
    servers: ['opencode'],
    text: () => json({ mcp: { opencode: { type: 'local', command: ['run'] } } }),
  },
  {
    client: 'docker-mcp',
    user: everywhere('.docker/mcp-servers.json'),
    servers: ['docker'],
    text: () => json({ mcpServers: entry('docker') }),
  },
]

export const CURSOR_TOKEN = 'ghp_0123456789abcdefghij'
/** A config with a comment of the user, a server with a secret, and a server that is switched off. */
export const cursorText = `{
  // mine
  "mcpServers": {
    "github": {"command": "npx", "args": ["-y", "server-github"], "env": {"GITHUB_TOKEN": "${CURSOR_TOKEN}", "LEVEL": "info"}},
    "off": {"command": "old", "disabled": true}
  }
}
`
