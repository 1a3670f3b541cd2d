// Commands for folders. A folder exists if it contains a note or was created.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { changes, destroys, reads } from '../../../shared/effects.ts'
import { noFolder } from '../failures.ts'
import { newFolder } from '../fields.ts'
import { moveToTrash } from '../rewrite.ts'
import { foldersOf, isIn, type Vault } from '../vault.ts'

export function folderCommands(vault: Vault): Command[] {
  const notesIn = (folder: string) => [...vault.notes.keys()].filter((path) => isIn(folder, path))
  return [
    defineCommand({
      name: 'list-folders',
      description: 'List all folders of the vault, with the number of notes in each and below it.',
      category: 'folder',
      tags: ['browse'],
      ...reads,
      examples: [{ input: { depth: 1 } }],
      input: z.object({ depth: z.number().int().min(1).max(10).default(10).describe('Levels to go down') }),
      handler({ depth }) {
        const wanted = foldersOf(vault).filter((folder) => folder.split('/').length <= depth)
        return success({ folders: wanted.map((folder) => ({ folder, notes: notesIn(folder).length })) })
      },
    }),
    defineCommand({
      name: 'create-folder',
      description: 'Make an empty folder. Not needed before create-note, which makes the folders of its path.',
      category: 'folder',
      tags: ['write'],
      ...changes,
      errors: ['FOLDER_EXISTS'],
      examples: [{ input: { folder: 'recipes/soups' } }],
      input: z.object({ folder: newFolder.describe('Folder to make, such as recipes/soups') }),
      handler({ folder }) {
        if (foldersOf(vault).includes(folder)) {
          return failure({
            code: 'FOLDER_EXISTS',
            message: `There is already a folder '${folder}'`,
            suggestion: `Put notes into it: create-note with a path like '${folder}/first.md'.`,
          })
        }
        vault.createdFolders.add(folder)
        return success({ folder })
      },
    }),
    defineCommand({
      name: 'delete-folder',
      description: 'Delete a folder. Its notes go to the trash; refused while it has notes unless withNotes is true.',
      category: 'folder',
      tags: ['write'],
      ...destroys('Delete the folder {folder} and move its notes to the trash?'),
      errors: ['FOLDER_NOT_FOUND', 'FOLDER_NOT_EMPTY'],
      examples: [{ input: { folder: 'archive' } }, { input: { folder: 'people', withNotes: true } }],
      input: z.object({
        folder: z.string().min(1).describe('Folder, such as archive'),
        withNotes: z.boolean().default(false).describe('Also when it has notes'),
      }),
      handler({ folder, withNotes }) {
        const known = foldersOf(vault)
        if (!known.includes(folder)) return noFolder(folder, known)
        const paths = notesIn(folder)
        if (paths.length > 0 && !withNotes) {
          return failure({
            code: 'FOLDER_NOT_EMPTY',
            message: `'${folder}' has ${paths.length === 1 ? 'a note' : `${paths.length} notes`}`,
            suggestion: 'Call move-note for each note to keep, or set withNotes to true.',
            details: { paths },
          })
        }
        for (const path of paths) {
          const note = vault.notes.get(path)
          if (note !== undefined) moveToTrash(vault, note)
        }
        for (const name of [...vault.createdFolders]) if (isIn(folder, name)) vault.createdFolders.delete(name)
        return success({ deleted: folder, notesInTrash: paths })
      },
    }),
  ]
}
