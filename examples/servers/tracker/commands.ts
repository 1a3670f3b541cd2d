// All commands of the tracker server, on one tracker.

import type { Command } from 'toolcrib'
import { commentCommands } from './commands/comment.ts'
import { findIssueCommands } from './commands/find-issue.ts'
import { issueImportCommands } from './commands/issue-import.ts'
import { issueStateCommands } from './commands/issue-state.ts'
import { labelCommands } from './commands/label.ts'
import { projectCommands } from './commands/project.ts'
import { sprintCommands } from './commands/sprint.ts'
import { writeIssueCommands } from './commands/write-issue.ts'
import type { Tracker } from './model.ts'

export function trackerCommands(tracker: Tracker): Command[] {
  return [
    projectCommands,
    findIssueCommands,
    writeIssueCommands,
    issueStateCommands,
    issueImportCommands,
    commentCommands,
    labelCommands,
    sprintCommands,
  ].flatMap((commandsOn) => commandsOn(tracker))
}
