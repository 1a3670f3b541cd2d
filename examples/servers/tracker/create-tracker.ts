// Creates a tracker that has the same projects and issues every time.

import { byKey } from '../../shared/fields.ts'
import type { Tracker } from './model.ts'
import * as seed from './seed.ts'

export function createTracker(): Tracker {
  const issuesPer = (key: string) => seed.issues.filter(({ project }) => project === key).length
  return {
    members: byKey(seed.members, ({ username }) => username),
    projects: byKey(seed.projects, ({ key }) => key),
    issues: byKey(seed.issues, ({ id }) => id),
    comments: byKey(seed.comments, ({ id }) => id),
    labels: byKey(seed.labels, ({ name }) => name),
    milestones: byKey(seed.milestones, ({ id }) => id),
    sprints: byKey(seed.sprints, ({ id }) => id),
    counters: new Map([
      ['com', seed.comments.length],
      ['mil', seed.milestones.length],
      ['spr', seed.sprints.length],
      ...seed.projects.map(({ key }): [string, number] => [key, issuesPer(key)]),
    ]),
  }
}
