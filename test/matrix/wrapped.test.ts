// Runs the matrix with one existing server that is wrapped. All wrappers connect to the same process of this server.

import { openGateway } from '../e2e/gateway/harness.ts'
import { everythingAt } from '../e2e/gateway/servers.ts'
import type { MatrixRow } from './drivers.ts'
import { runMatrix } from './matrix.ts'

const everything = everythingAt('streamableHttp')

/** Converts `{coreBudget: 1, invoke: true, core: ['a', 'b']}` to `--core-budget 1 --invoke --core a,b`. */
function flagsOf(options: MatrixRow['options']): readonly string[] {
  return Object.entries(options).flatMap(([option, value]) => {
    const flag = `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    return value === true ? [flag] : [flag, Array.isArray(value) ? value.join(',') : String(value)]
  })
}

runMatrix({
  core: ['echo'],
  target: {
    words: 'echo back a message',
    name: 'echo',
    id: 'echo',
    group: 'general',
    action: 'echo',
    category: 'general',
    parameter: 'message',
    args: { message: 'hello there' },
    answer: /hello there/,
    badArgs: { massage: 'hello' },
  },
  wrong: { name: 'ecko', id: 'ecko', group: 'general', action: 'ecko' },
  hidden: {
    words: 'environment variables',
    name: 'get-env',
    id: 'get-env',
    group: 'general',
    action: 'get-env',
    category: 'general',
  },
  open: ({ strategy, options }, door) =>
    openGateway({
      door,
      args: [
        'wrap',
        ...['--strategy', strategy, ...flagsOf(options), '--hide', 'get-env', '--url', everything.url],
        ...(door === 'http' ? ['--http', '--port', '0'] : []),
      ],
    }),
})
