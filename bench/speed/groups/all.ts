// Every group of rows of `npm run bench`, in the order of the table.

import type { Group } from '../group.ts'
import { stdio } from './stdio.ts'

export const groups: readonly Group[] = [stdio]
