// The watchdog process on Windows: when its input ends, it kills the processes that the gateway has left behind.

import { createInterface } from 'node:readline'
import { killOrphans, runTool, signalProcess } from './process-tree.ts'

const watched = new Set<number>()

// Reads `+ pid` and `- pid`, one per line. The end of the input means that the gateway has ended.
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, pid] = line.split(' ')
  if (verb === '+') watched.add(Number(pid))
  else watched.delete(Number(pid))
}
if (watched.size > 0) {
  // Windows has ended the servers with the gateway, but not their child processes.
  const pids = [...watched]
  await Promise.all(pids.map((pid) => runTool('taskkill.exe', ['/pid', String(pid), '/t', '/f'], process.env)))
  for (const pid of pids) signalProcess(pid, 'SIGKILL')
  await killOrphans(pids, process.env)
}
