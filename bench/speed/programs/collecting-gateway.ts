// `toolcrib serve` that collects garbage when it gets SIGUSR2. Usage: collecting-gateway CONFIG

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { MAIN } from '../targets.ts'

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')
process.on('SIGUSR2', () => {
  if (typeof collect === 'function') collect()
})
const [, , config = ''] = process.argv
process.argv.splice(2, process.argv.length, 'serve', '--config', config)
await import(MAIN)
