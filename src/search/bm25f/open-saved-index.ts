// Opens an index that `saveIndex` wrote to a file, for the same tools in the same order.

import type { Snapshot } from '../../catalog/tool-set.ts'
import type { DescribedTool } from '../../core/tool.ts'
import type { SectionFile } from '../../storage/section-file.ts'
import type { Index } from '../ranker.ts'
import { adoptThesaurus } from '../words/thesaurus.ts'
import { openIndex } from './open-index.ts'
import { SavedVocabulary } from './saved-vocabulary.ts'
import { TUNING } from './tuning.ts'

export function openSavedIndex(file: Pick<SectionFile, 'section'>, snapshot: Snapshot<DescribedTool>): Index {
  const numbers = (name: string) => new Uint32Array(file.section(name).buffer)
  adoptThesaurus(Buffer.from(file.section('thesaurus').buffer))
  const vocabulary = new SavedVocabulary({
    words: textOf(file.section('words')),
    wordStarts: numbers('wordStarts'),
    wordIds: numbers('wordIds'),
    pairKeys: new Float64Array(file.section('pairKeys').buffer),
    pairIds: numbers('pairIds'),
  })
  const postings = {
    total: snapshot.tools.length,
    starts: numbers('starts'),
    tools: numbers('tools'),
    impacts: new Float32Array(file.section('impacts').buffer),
    sources: numbers('sources'),
  }
  return openIndex({ vocabulary, postings, sizes: [...numbers('sizes')] }, TUNING, snapshot)
}

function textOf(bytes: Uint8Array<ArrayBuffer>): string {
  return Buffer.from(bytes.buffer).toString()
}
