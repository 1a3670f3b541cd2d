// Installs the packages of this example and runs agent.mjs.

import { runWithPackages } from '../shared/run-with-packages.ts'

await runWithPackages('agent-langchain')
