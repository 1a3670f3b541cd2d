import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { readLog } from './read-log.ts'

async function recordsIn(file: string): Promise<readonly unknown[]> {
  const records: unknown[] = []
  for await (const record of readLog(file)) records.push(record)
  return records
}

it('reads the older part of a log first, skips lines that are not JSON, and finds no records in a missing file', async () => {
  const folder = tempFolder()
  const file = folder.at('usage.jsonl')
  expect(await recordsIn(file)).toEqual([])
  folder.write('usage.jsonl', '{"n":2}\n{"n":')
  expect(await recordsIn(file)).toEqual([{ n: 2 }])
  folder.write('usage.jsonl.1', '{"n":1}\n')
  expect(await recordsIn(file)).toEqual([{ n: 1 }, { n: 2 }])
})

it('rejects with the path of a log that exists and cannot be read', async () => {
  const folder = tempFolder()
  // A folder at the path of the log makes it unreadable for every user.
  const file = folder.at('usage.jsonl')
  mkdirSync(file)
  await expect(recordsIn(file)).rejects.toThrow(`Invalid log ${file}: it cannot be read: EISDIR`)
})
