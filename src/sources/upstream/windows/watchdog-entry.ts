// The watchdog on Windows, a process of its own: when its input ends, it kills what the gateway has left running.

import { createInterface } from 'node:readline'
import { killOrphans, runTool } from './process-tree.ts'

const watched = new Set<number>()

// `+ pid` and `- pid`, a line each; the end of the input is the end of the gateway.
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, pid] = line.split(' ')
  if (verb === '+') watched.add(Number(pid))
  else watched.delete(Number(pid))
}
if (watched.size > 0) {
  // Windows has ended the servers with the gateway, as Node asks it to, but not what they have started.
  const pids = [...watched]
  await Promise.all(pids.map((pid) => runTool('taskkill.exe', ['/pid', String(pid), '/t', '/f'], process.env)))
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It is gone already.
    }
  }
  await killOrphans(pids, process.env)
}
