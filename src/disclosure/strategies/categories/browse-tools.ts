// The three tools to browse by category, for any strategy that offers them.

import type { CategoryDescriptions } from '../../categorize.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import { createCategoryTools } from './category-tools.ts'
import { createListCategories } from './list-categories.ts'
import { toolSchema } from './tool-schema.ts'

export function createBrowseTools(
  environment: StrategyEnvironment,
  descriptions: CategoryDescriptions = {},
): readonly MetaTool[] {
  return [createListCategories(environment, descriptions), createCategoryTools(environment), toolSchema]
}
