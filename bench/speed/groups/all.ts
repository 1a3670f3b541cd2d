// Every group of rows of `npm run bench`, in the order of the table.

import type { BenchGroup } from '../group.ts'
import { cold } from './cold.ts'
import { command } from './command.ts'
import { guards } from './guards.ts'
import { http } from './http.ts'
import { growth, memory } from './memory.ts'
import { results } from './results.ts'
import { scale } from './scale.ts'
import { spawn } from './spawn.ts'
import { stdio } from './stdio.ts'

export const groups: readonly BenchGroup[] = [stdio, http, results, guards, command, spawn, cold, memory, growth, scale]
