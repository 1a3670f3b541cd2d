// Runs the matrix with commands of the server's own process.

import { fileURLToPath } from 'node:url'
import { openGateway } from '../e2e/gateway/harness.ts'
import { runMatrix } from './matrix.ts'

const entry = fileURLToPath(new URL('../../build/test/fixtures/matrix-entry.js', import.meta.url))

runMatrix({
  core: ['user-create'],
  target: {
    words: 'create a user account',
    name: 'user-create',
    id: 'user-create',
    group: 'user',
    action: 'create',
    category: 'user',
    parameter: 'email',
    args: { name: 'Bo', email: 'bo@b.com' },
    answer: /bo@b\.com/,
    badArgs: { name: 'Bo' },
  },
  wrong: { name: 'user-creat', id: 'user-creat', group: 'user', action: 'creat' },
  hidden: {
    words: 'open the vault',
    name: 'vault-open',
    id: 'vault-open',
    group: 'vault',
    action: 'open',
    category: 'vault',
  },
  open: ({ strategy, options }, door) =>
    openGateway({ door, program: [entry, door, strategy, JSON.stringify(options)] }),
})
