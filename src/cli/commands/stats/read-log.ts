// Reads the records of a log and of its previous generation, one at a time.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** Skips lines that are not JSON: a crash may have cut a line. */
export async function* readLog(file: string): AsyncGenerator<unknown> {
  for (const one of [`${file}.1`, file]) {
    const stream = createReadStream(one, 'utf8')
    try {
      for await (const line of createInterface({ input: stream })) {
        const value = parsed(line)
        if (value !== undefined) yield value
      }
    } catch {
      // A missing file has no records.
    } finally {
      stream.destroy()
    }
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
