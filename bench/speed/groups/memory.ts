// Resident memory: when idle with the whole catalog known, and its growth by many calls.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { storeGateway } from '../../../test/fixtures/stored-gateway.ts'
import { knownServers } from '../../known-servers.ts'
import { median } from '../figures.ts'
import type { BenchGroup, Figures } from '../group.ts'
import { callMany } from '../load.ts'
import { residentMegabytes } from '../process-facts.ts'
import { startRaw } from '../raw-session.ts'
import { type BenchProgram, MAIN, openCrib, programFile } from '../targets.ts'

const SETTLE_MS = 2_000

/** The median of five samples, because a garbage collection can happen between two of them. */
async function settledMegabytes(pid: number): Promise<number> {
  await delay(SETTLE_MS)
  const samples: number[] = []
  for (let sample = 0; sample < 5; sample++) {
    samples.push(residentMegabytes(pid))
    await delay(200)
  }
  return median(samples)
}

/**
 * Collects garbage before the samples. Otherwise two figures differ by up to about 10 MB, because resident memory rises
 * until the garbage collector runs, even if the process keeps nothing.
 */
async function collectedMegabytes(pid: number): Promise<number> {
  // The first collection frees objects; the later collections give the pages of the heap back to the system.
  for (let collection = 0; collection < 3; collection++) {
    process.kill(pid, 'SIGUSR2')
    await delay(500)
  }
  return settledMegabytes(pid)
}

async function idleMegabytes(program: BenchProgram, query?: string): Promise<number> {
  const session = await startRaw(program)
  await session.request('tools/list')
  if (query !== undefined) await session.request('tools/call', { name: 'search_tools', arguments: { query } })
  const megabytes = await settledMegabytes(session.pid)
  await session.close()
  return megabytes
}

async function idle(): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'))
  try {
    const stored = await storeGateway(folder, knownServers())
    const env = { HOME: folder, XDG_CACHE_HOME: stored.cacheHome, XDG_STATE_HOME: stored.stateHome }
    const program = { args: [MAIN, 'serve', '--config', stored.config], env }
    return {
      bare: await idleMegabytes({ args: [programFile('bare-server')] }),
      idle: await idleMegabytes(program),
      searched: await idleMegabytes(program, 'create an issue'),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export const memory: BenchGroup = {
  name: 'memory',
  rounds: { short: 1, full: 5 },
  rows: [
    {
      id: 'memory-idle-over-bare-server',
      what: 'resident, idle with the tools of the catalog known, minus that of a bare SDK server',
      unit: 'MB',
      ours: 'idle',
      base: 'bare',
      as: 'difference',
    },
    {
      id: 'memory-searched-over-bare-server',
      what: 'resident, after one search, which reads all tools, minus that of a bare SDK server',
      unit: 'MB',
      ours: 'searched',
      base: 'bare',
      as: 'difference',
    },
  ],
  round: idle,
}

export const growth: BenchGroup = {
  name: 'growth',
  // One round, because it takes minutes.
  rounds: { short: 1, full: 1 },
  rows: [
    {
      id: 'memory-growth-by-calls',
      what: 'resident after 120,000 calls minus that after 20,000 (short form: 4,000 minus 1,000), garbage collected',
      unit: 'MB',
      ours: 'late',
      base: 'early',
      as: 'difference',
    },
    {
      id: 'memory-growth-with-garbage',
      what: 'resident after 120,000 calls minus that after 20,000 (short form: 4,000 minus 1,000), garbage not collected',
      unit: 'MB',
      ours: 'lateWithGarbage',
      base: 'earlyWithGarbage',
      as: 'difference',
    },
  ],
  async round(isShort) {
    const [early, late] = isShort ? [1_000, 4_000] : [20_000, 120_000]
    const target = await openCrib({ program: programFile('collecting-gateway') })
    try {
      const pid = target.pid ?? 0
      await callMany(target, early)
      const earlyWithGarbage = await settledMegabytes(pid)
      const before = await collectedMegabytes(pid)
      await callMany(target, late - early)
      const lateWithGarbage = await settledMegabytes(pid)
      return { early: before, late: await collectedMegabytes(pid), earlyWithGarbage, lateWithGarbage }
    } finally {
      await target.close()
    }
  },
}
