// Checks that a request has the same result under every strategy, over every transport, in both eras and in process. Only
// the next step that an error suggests depends on the strategy.

import { describe, expect, it } from 'vitest'
import { createDirectClient, createMcpServer } from '../../src/index.ts'
import { combinations, covers, OVER, quietOptions, strategies, useConnections } from './harness.ts'
import { callPaths, matrixRequests, resultUnder, withoutTimes } from './matrix-requests.ts'

describe.each(combinations)(OVER, (combination) => {
  const shops = useConnections({
    individual: { ...combination, strategy: 'individual' },
    grouped: { ...combination, strategy: 'grouped' },
    lazy: { ...combination, strategy: 'lazy' },
  })

  describe.each(strategies)('under %s', (strategy) => {
    const shop = shops[strategy]

    it.each(matrixRequests)('the server returns the expected result for $name', async (request) => {
      covers('MX-1', 'SC-9', 'FR-7.2', 'EX-7')
      for (const { path, tool, args } of callPaths(request, strategy)) {
        const { text, isError, blocks } = await shop.call(tool, args)
        expect(withoutTimes(JSON.parse(text)), path).toEqual(resultUnder(strategy, request))
        expect(isError, path).toBe(request.result.success === false)
        expect(blocks, path).toEqual(request.blocks ?? [])
      }
    })
  })
})

describe.each(strategies)('in process, under %s', (strategy) => {
  const client = createDirectClient(createMcpServer(quietOptions('shop', strategy).options))

  it.each(matrixRequests)('the server returns the expected result for $name', async ({ run, result, blocks = [] }) => {
    covers('MX-1', 'PN-5', 'PN-10')
    const { content = [], ...rest } =
      'tool' in run ? await client.call(run.tool, run.args) : await client.call(run.command, run.input)
    expect(withoutTimes(rest)).toEqual(resultUnder(strategy, { result }))
    expect(content).toEqual(blocks)
  })
})
