// A ranker: the relevance of a tool is the share of the words of the query that occur in its texts.

import { defineRanker, type Tool } from 'toolcrib'

export const sharedWords = defineRanker({
  name: 'shared-words',
  // Called at the first search after a change of the catalog, once for each set of rights. Callers with the same
  // rights share the index.
  async rank({ tools }) {
    const entries = tools.map((tool) => ({ tool, words: wordsIn(textOf(tool)), names: namesOf(tool) }))
    return {
      async search(query, { limit, within, signal }) {
        signal?.throwIfAborted()
        const wanted = [...wordsIn(query)]
        const name = query.trim().toLowerCase()
        return (
          entries
            // Filter before the limit: a tool that the caller may not see must not use up a result.
            .filter(({ tool }) => within === undefined || within.has(tool.id))
            .map(({ tool, words, names }) => {
              const share = wanted.filter((word) => words.has(word)).length / Math.max(1, wanted.length)
              // Only a tool with exactly this name has relevance 1.
              return { id: tool.id, relevance: names.has(name) ? 1 : Math.min(0.99, Math.round(share * 100) / 100) }
            })
            .filter(({ relevance }) => relevance > 0)
            .sort((a, b) => b.relevance - a.relevance || (a.id < b.id ? -1 : 1))
            .slice(0, limit)
        )
      },
    }
  },
})

function textOf({ name, description, category, tags = [] }: Tool): string {
  return [name, description, category, ...tags].join(' ')
}

function namesOf({ name, id, listedName }: Tool): ReadonlySet<string> {
  return new Set([name, id, listedName].map((one) => one.toLowerCase()))
}

/** Short words such as `the` and `of` say little about a tool. */
function wordsIn(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return new Set(words.filter((word) => word.length > 3))
}
