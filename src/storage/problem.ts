// Problems that storage reports when it can continue. If it cannot continue, it throws a StorageError.

import { errorCode, messageOf } from '../core/text.ts'

export interface StorageProblem {
  /** The kind of the problem. */
  readonly kind: 'unwritable' | 'unreadable' | 'corrupt' | 'unrotated' | 'bad-record' | 'overloaded'
  /** The file or folder, or the address of a Redis server. */
  readonly path: string
  /** The problem, and how the storage continues. */
  readonly message: string
  /** The message without its last sentence, which says how the storage continues. Absent if there is one sentence. */
  readonly what?: string
  /** The original error. */
  readonly cause?: unknown
}

export type OnProblem = (problem: StorageProblem) => void

export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly problem: StorageProblem

  constructor(problem: StorageProblem) {
    super(problem.message, { cause: problem.cause })
    this.problem = problem
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file may not grow any further',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'part of its path is not a directory',
  EISDIR: 'it is a directory',
  ELOOP: 'it is a link that leads to itself',
  EMFILE: 'this process has too many open files',
  ENFILE: 'the system has too many open files',
  EIO: 'the disk reports an error',
}

export function reasonOf(error: unknown): string {
  const code = errorCode(error)
  return code === undefined ? messageOf(error) : (REASONS[code] ?? code)
}

/** The problem of a file or folder that exists and cannot be read. */
export function unreadable(path: string, cause: unknown): StorageProblem {
  return { kind: 'unreadable', path, message: `Cannot read ${path}: ${reasonOf(cause)}`, cause }
}

/** On a disk that is nearly full, small writes succeed between large writes that fail. That counts as one outage. */
const QUIET_MS = 60_000

/** Reports each kind of problem when it begins, and again only if it ended and a minute has passed. */
export function createOutage(onProblem: OnProblem, now: () => number) {
  const failing = new Set<StorageProblem['kind']>()
  const reportedAt = new Map<StorageProblem['kind'], number>()
  return {
    failed(problem: StorageProblem): void {
      const { kind } = problem
      const isQuiet = now() - (reportedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < QUIET_MS
      const isNew = !failing.has(kind)
      failing.add(kind)
      if (!isNew || isQuiet) return
      reportedAt.set(kind, now())
      onProblem(problem)
    },
    worked(): void {
      failing.clear()
    },
  }
}
