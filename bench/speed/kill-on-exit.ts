// Kills the programs that still run when this process ends, for example after an error, Ctrl-C or a time limit.

interface Killable {
  kill(signal: NodeJS.Signals): unknown
}

const running = new Set<Killable>()
let isRegistered = false

/**
 * Kills the program when this process ends. Call the returned function when the program has ended, because its process
 * id can then belong to another program: `child.once('exit', killOnExit(child))`.
 */
export function killOnExit(program: Killable): () => void {
  running.add(program)
  if (!isRegistered) {
    isRegistered = true
    process.once('exit', () => {
      for (const one of running) one.kill('SIGKILL')
    })
    // Without a listener a signal ends the process and no `exit` listener runs.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  }
  return () => void running.delete(program)
}
