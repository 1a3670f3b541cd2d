// What wrapping one server must keep, as data. Scenarios cite the ids with `covers`; ../coverage.test.ts sees that each is cited.

export interface WrapRequirement {
  /** Permanent: a scenario, a commit or a bug report may name it. */
  readonly id: string
  readonly text: string
}

const texts = {
  'WR-1': 'a wrapped server keeps its own tool names, its name, title and version, and its instructions',
  'WR-2': 'under individual its tools are listed as they were, with output schemas and annotations',
  'WR-3': 'its prompts, resources, templates and completions are answered under their own names and URIs',
  'WR-4': 'progress and logs of a call reach its client, and a client can say how much of the log it wants',
  'WR-5': 'what it asks (elicitation, sampling) is asked of the client whose call it is',
  'WR-6': 'a change of its lists is told, and the next list shows it',
  'WR-7': 'a client that watches a resource is told of its updates',
  'WR-8': 'under a strategy that lists no tools, the instructions say how to find them, and all of them can be called',
  'WR-9': 'a command line that cannot be read, or a server that cannot start, is said before anything is served',
  'WR-10': 'a server that dies, babbles or changes is heard of once, and used again where it can be',
  'WR-11': 'however it ends, nothing that was started for it is left running',
} as const

export type WrapId = keyof typeof texts

export const wrapRequirements: readonly WrapRequirement[] = Object.entries(texts).map(([id, text]) => ({ id, text }))

/** Says which requirements a scenario is about. */
export function covers(..._ids: readonly [WrapId, ...WrapId[]]): void {}
