// What there is to look through, without what is needed to call any of it: a view has it, and so has a file.

import type { Snapshot } from '../catalog/tool-set.ts'
import type { DescribedTool } from '../core/tool.ts'
import type { View } from './view.ts'

export interface Shelves
  extends Pick<View, 'sources' | 'whyNoSources' | 'search' | 'searchDisabled' | 'disabledWhere'> {
  readonly visible: Snapshot<DescribedTool>
  readonly known: Snapshot<DescribedTool>
}
