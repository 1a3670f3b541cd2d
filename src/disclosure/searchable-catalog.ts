// The part of a view that lists and searches need, without the means to call tools. A cached catalog on disk also
// provides it.

import type { Snapshot } from '../catalog/tool-set.ts'
import type { DescribedTool } from '../core/tool.ts'
import type { View } from './view.ts'

export interface SearchableCatalog
  extends Pick<View, 'sources' | 'whyNoSources' | 'search' | 'searchDisabled' | 'disabledWhere'> {
  readonly visible: Snapshot<DescribedTool>
  readonly known: Snapshot<DescribedTool>
}
