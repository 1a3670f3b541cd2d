// Loaded into the gateway by NODE_OPTIONS: measures how long its event loop was blocked.

import { readFileSync, writeFileSync } from 'node:fs'

// The servers of the gateway inherit NODE_OPTIONS, and are not measured.
if (process.argv[1]?.endsWith('cli/main.js') === true) watchStalls(process.env.STALL_FILE ?? '')

/** SIGUSR2 starts a measurement. The next SIGUSR2 ends it and writes the longest time, in milliseconds, to the file. */
function watchStalls(file: string): void {
  let longest: number | undefined
  let began = runMs()
  const turn = () => {
    if (longest === undefined) return
    const now = runMs()
    longest = Math.max(longest, now - began)
    began = now
    setImmediate(turn)
  }
  process.on('SIGUSR2', () => {
    if (longest !== undefined) writeFileSync(file, `${longest}`)
    longest = longest === undefined ? 0 : undefined
    began = runMs()
    setImmediate(turn)
  })
}

/**
 * The time that this thread has run. Unlike a clock, it stops while the thread waits for a core, so other programs on the
 * machine do not count as a stall.
 */
function runMs(): number {
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}
