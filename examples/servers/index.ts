// The example servers, and the command that starts each as a separate process.

import { fileURLToPath } from 'node:url'

export interface ExampleServer {
  readonly name: string
  readonly description: string
  readonly command: string
  readonly args: readonly string[]
}

const servers = [
  { name: 'notes', description: 'A personal knowledge base: Markdown notes, folders, tags, links, reminders.' },
  { name: 'tracker', description: 'An issue tracker: projects, issues, comments, labels, milestones, sprints.' },
  { name: 'shop', description: 'A small online shop: products, stock, customers, orders, parcels, refunds.' },
] as const

/** `compiled` is the address of this file as compiled JavaScript, because only compiled servers can be run. */
export function exampleServers(compiled: string | URL = import.meta.url): readonly ExampleServer[] {
  return servers.map((server) => ({
    ...server,
    command: process.execPath,
    args: [fileURLToPath(new URL(`./${server.name}/server.js`, compiled))],
  }))
}
