// The clients that the gateway can be put into.

export const clientNames: readonly string[] = [
  'claude-desktop',
  'claude-code',
  'cursor',
  'vscode',
  'copilot',
  'windsurf',
  'codex',
  'gemini',
  'zed',
  'opencode',
  'docker-mcp',
]
