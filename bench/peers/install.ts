// The other gateways, at pinned versions.

import { installPackage, type PinnedPackage, scriptOf } from '../install-package.ts'

export const peers = {
  broker: { name: 'mcp-broker', version: '0.3.0' },
  hub: { name: 'mcp-hub-mcp', version: '1.3.1' },
} as const

/**
 * Installs the gateway, unless it is cached, and returns the script of its command. The installation compiles native
 * code, so it takes minutes.
 */
export async function installPeer(peer: PinnedPackage): Promise<string> {
  return scriptOf(await installPackage(peer, { cache: 'toolcrib-peers', withScripts: true }), peer, peer.name)
}
