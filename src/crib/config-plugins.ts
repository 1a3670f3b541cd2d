// Checks the strategies, rankers and sources in the plugins of a config. The parser checks only that each has a name.

import type { Config, NamedPlugin } from '../config/config.ts'
import { raise } from '../core/errors.ts'
import { isRankerPlugin, type Ranker } from '../search/ranker.ts'
import { chooseRanker } from '../search/rankers/builtins.ts'

const DEFINED_WITH = { strategies: 'defineStrategy', rankers: 'defineRanker', sources: 'defineSource' } as const

export function pluginsOf<T extends NamedPlugin>(
  kind: keyof typeof DEFINED_WITH,
  given: readonly NamedPlugin[] = [],
  isPlugin: (value: unknown) => value is T,
): readonly T[] {
  return given.map((plugin) =>
    isPlugin(plugin)
      ? plugin
      : raise('INVALID_OPTIONS', {
          what: `plugins.${kind}`,
          reason: `'${plugin.name}' is not a plugin of this kind`,
          todo: `Give the result of ${DEFINED_WITH[kind]}.`,
        }),
  )
}

/** The ranker that `discovery.search.ranker` names. */
export function rankerIn({ discovery, plugins }: Config): Ranker {
  return chooseRanker(discovery.search.ranker, pluginsOf('rankers', plugins?.rankers, isRankerPlugin))
}
