// The requirements for wrapping a server. Scenarios cite their ids with `covers`; ../coverage.test.ts checks that.

export interface WrapRequirement {
  /** Ids are permanent, because scenarios, commits and bug reports cite them. */
  readonly id: string
  readonly text: string
}

const texts = {
  'WR-1': 'a wrapped server keeps its own tool names, its name, title and version, and its instructions',
  'WR-2': 'under individual its tools are listed as they were, with output schemas and annotations',
  'WR-3': 'its prompts, resources, templates and completions are answered under their own names and URIs',
  'WR-4': 'progress and logs of a call reach its client, and a client can set the log level',
  'WR-5': 'its questions (elicitation, sampling) go to the client of the call',
  'WR-6': 'clients are notified when its lists change, and the next list shows the change',
  'WR-7': 'a client that subscribes to a resource is notified of its updates',
  'WR-8':
    'under a strategy that lists no tools, the instructions explain how to find them, and all of them can be called',
  'WR-9': 'an invalid command line, or a server that cannot start, is reported before anything is served',
  'WR-10': 'a server that dies, prints invalid lines or changes is reported once, and used again if possible',
  'WR-11': 'all processes that the wrapper has started end with the wrapper',
} as const

export type WrapId = keyof typeof texts

export const wrapRequirements: readonly WrapRequirement[] = Object.entries(texts).map(([id, text]) => ({ id, text }))

/** Names the requirements that a scenario tests. */
export function covers(..._ids: readonly [WrapId, ...WrapId[]]): void {}
