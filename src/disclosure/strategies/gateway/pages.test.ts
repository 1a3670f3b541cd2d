import { expect, it } from 'vitest'
import { filterSnapshot } from '../../../catalog/snapshot.ts'
import { commandOf } from '../../../sources/commands/command.fixture.ts'
import { viewOf } from '../../view.fixture.ts'
import { describeNoTools, pageOfTools } from './pages.ts'

const wanted = { server: 'commands', includeDisabled: false, offset: 0, limit: 10 }

it('an empty page says that the tools are refused because of their pins, and not that the server has no tools', async () => {
  const { known, ...view } = await viewOf([commandOf('order-list')])
  const change = { kind: 'changed', isBlocked: true } as const
  const catalog = {
    ...view,
    known: { ...known, tools: known.tools.map((tool) => ({ ...tool, change })) },
    visible: filterSnapshot(known, () => false),
  }
  expect(pageOfTools(wanted, catalog)).toMatchObject({ tools: [], whyEmpty: { kind: 'changed' } })
  expect(describeNoTools({ kind: 'changed' }, 'includeDisabled')).toContain('`toolcrib pins list`')
  expect(pageOfTools(wanted, await viewOf([]))).toMatchObject({ whyEmpty: { kind: 'none' } })
})

it('the reason for an offset past the end says "1 tool" for one tool, and "2 tools" for two', () => {
  expect(describeNoTools({ kind: 'past-the-end', total: 1 }, 'x')).toBe('The offset is past the last of 1 tool.')
  expect(describeNoTools({ kind: 'past-the-end', total: 2 }, 'x')).toBe('The offset is past the last of 2 tools.')
})
