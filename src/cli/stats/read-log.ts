// The records of a log and of the generation before it, one at a time.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** What is no JSON is left out: a line may have been cut by a crash. */
export async function* readLog(file: string): AsyncGenerator<unknown> {
  for (const one of [`${file}.1`, file]) {
    const stream = createReadStream(one, 'utf8')
    try {
      for await (const line of createInterface({ input: stream })) {
        const value = parsed(line)
        if (value !== undefined) yield value
      }
    } catch {
      // No such file, no records.
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
