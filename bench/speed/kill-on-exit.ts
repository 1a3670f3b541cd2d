// Kills the programs that a benchmark has started if the benchmark ends early: by an error, Ctrl-C or a time limit.

interface Killable {
  kill(signal: NodeJS.Signals): unknown
}

const children = new Set<Killable>()

export function killOnExit(child: Killable): void {
  if (children.size === 0) {
    process.once('exit', () => {
      for (const one of children) one.kill('SIGKILL')
    })
    // Without a listener a signal ends the process and no `exit` listener runs.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  }
  children.add(child)
}
