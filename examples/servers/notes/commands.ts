// All commands of the notes server, on one vault.

import type { Command } from 'toolcrib'
import { browseCommands } from './commands/browse.ts'
import { folderCommands } from './commands/folder.ts'
import { linkCommands } from './commands/link.ts'
import { reminderCommands } from './commands/reminder.ts'
import { tagCommands } from './commands/tag.ts'
import { transferCommands } from './commands/transfer.ts'
import { trashCommands } from './commands/trash.ts'
import { writeCommands } from './commands/write.ts'
import type { Vault } from './vault.ts'

export function notesCommands(vault: Vault): Command[] {
  return [
    browseCommands,
    writeCommands,
    trashCommands,
    folderCommands,
    tagCommands,
    linkCommands,
    reminderCommands,
    transferCommands,
  ].flatMap((commandsOn) => commandsOn(vault))
}
