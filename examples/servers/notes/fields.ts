// Schema pieces that the commands on notes share.

import { z } from 'zod'

export const path = z.string().describe('Path of a note, such as projects/kitchen.md')

/** The path of a new note. To find a note, any text is allowed. */
export const newPath = z
  .string()
  .max(200)
  .regex(/^\w[\w .-]*(\/\w[\w .-]*)*\.md$/, 'not a path like ideas/boat.md')
  .describe('Path for the note, ending in .md, such as ideas/boat.md')

export const folder = z.string().describe('Folder, such as projects; leave out for the whole vault')

export const newFolder = z
  .string()
  .max(200)
  .regex(/^\w[\w .-]*(\/\w[\w .-]*)*$/, 'not a folder like recipes/soups')

export const tag = z
  .string()
  .max(40)
  .regex(/^[a-z0-9][a-z0-9-]*$/, 'not a tag like to-read: lower case, digits, hyphens')

export const body = z.string().max(200_000).describe('Markdown; [[path]] links to another note')
