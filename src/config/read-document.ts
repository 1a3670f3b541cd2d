// Reads a config file of any supported format.

import { type ConfigFiles, readFailure } from './config-files.ts'
import { type Document, formatOf, parseDocument } from './document.ts'
import { isModule, loadModule } from './load-module.ts'
import { problemAt } from './problem.ts'

export async function readDocument(file: string, files: ConfigFiles): Promise<Document> {
  const fail = (found: string, message?: string): Document => ({
    ok: false,
    problem: problemAt(
      { file, path: [] },
      { expected: 'a config file', found, ...(message === undefined ? {} : { message }) },
    ),
  })
  const format = formatOf(file)
  if (format === undefined && !isModule(file))
    return fail('a file that is neither TypeScript, JavaScript, JSON nor YAML')
  if (!(await files.isFile(file))) return fail('no such file', 'There is no such file')
  try {
    const text = await files.readText(file)
    const document = await (format === undefined ? loadModule(file, text) : parseDocument(text, format, file))
    // An editor that saves slowly leaves the file empty for a moment. That must not stop all servers.
    return document.ok && document.isEmpty ? fail('an empty file; write {} for an empty config') : document
  } catch (error) {
    return fail(readFailure(error))
  }
}
