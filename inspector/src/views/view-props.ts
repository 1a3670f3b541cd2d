// The data that every view gets.

import type { InspectorOverview, InspectorTools } from '../../../src/front/inspector/api.ts'
import type { LoadedResource } from '../gateway/use-resource.ts'

export interface GatewayData {
  readonly overview: InspectorOverview
  readonly tools: LoadedResource<InspectorTools>
}
