import { expect, it } from 'vitest'
import { takeSnapshot } from '../../catalog/snapshot.ts'
import { entryOf } from '../../sources/source.fixture.ts'
import { rankerContract } from '../ranker.contract.ts'
import { allWords } from './all-words.ts'

rankerContract('words', allWords)

it('finds only tools that contain every word of the query, in any field', async () => {
  const entries = [
    entryOf('send_mail', { description: 'To one person.' }),
    entryOf('send_letter', { description: 'By mail, with a stamp.' }),
    entryOf('read_mail', { description: 'All that is new.' }),
  ]
  const index = await allWords(takeSnapshot([{ sourceId: 's', entries }]), new AbortController().signal)
  const idsOf = async (query: string) => (await index.search(query, { limit: 10 })).map(({ id }) => id)
  expect(await idsOf('Send MAIL')).toEqual(['s:send_letter', 's:send_mail'])
  expect(await idsOf('send mail please')).toEqual([])
})
