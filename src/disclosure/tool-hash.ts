// Computes a short hash of a tool: its description, schema and traits. A client with the same hash needs no new copy.

import { z } from 'zod'
import { fingerprint } from '../core/hash.ts'
import type { Tool } from '../core/tool.ts'

/** Few characters, to save tokens, but enough that two tools are unlikely to have the same hash. */
const HASH_CHARS = 6

// A tool is replaced, never edited, so its hash is computed once.
const known = new WeakMap<Tool, string>()

export function hashOf(tool: Tool): string {
  const { description, inputSchema, traits } = tool
  const hash = known.get(tool) ?? fingerprint(JSON.stringify([description, inputSchema, traits])).slice(-HASH_CHARS)
  known.set(tool, hash)
  return hash
}

/** An argument of tools that describe others: the hashes of descriptions that the client already has. */
export const ifNot = z.union([z.string(), z.array(z.string())]).optional()

export function isKnown(hash: string, given: z.output<typeof ifNot>): boolean {
  return [given ?? []].flat().includes(hash)
}
