// The part of a view that is needed to list and search tools. The cached catalog on disk has it, but cannot call tools.

import type { Snapshot } from '../catalog/tool-set.ts'
import type { DescribedTool } from '../core/tool.ts'
import type { View } from './view.ts'

export interface SearchableCatalog
  extends Pick<View, 'sources' | 'whyNoSources' | 'search' | 'explain' | 'searchDisabled' | 'disabledWhere'> {
  readonly visible: Snapshot<DescribedTool>
  readonly known: Snapshot<DescribedTool>
}
