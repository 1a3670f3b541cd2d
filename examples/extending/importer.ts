// An importer: reads the servers from the config file of a client. This client has them under `tools.servers`.

import { join } from 'node:path'
import { defineImporter } from 'toolcrib'

export const acme = defineImporter({
  name: 'acme',
  // In each scope, the first file that has servers or problems is used. Files of a project need the user's approval.
  paths: ({ home, cwd }) => [
    { path: join(home, '.acme', 'settings.json'), scope: 'user' },
    { path: join(cwd, '.acme', 'settings.json'), scope: 'project' },
  ],
  // The path and the entries. An entry has `command, args, env` or `url, headers`, and `disabled` or `enabled`.
  plan: ({ tools }) => ({
    sections: [{ path: ['tools', 'servers'], entries: isObject(tools) ? tools.servers : undefined }],
  }),
})

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
