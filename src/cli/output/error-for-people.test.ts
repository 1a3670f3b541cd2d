import { expect, it } from 'vitest'
import { errorOf, ToolcribError } from '../../core/errors.ts'
import { errorOfThrown, forPeople, howToInspect, unavailable } from './error-for-people.ts'

const similar = ['files']

it('an error for people suggests a command to type instead of a tool to call', () => {
  const server = errorOf('SERVER_NOT_FOUND', { server: 'fils', similar, list: 'list_mcp_servers' }, { similar })
  expect(forPeople(server).suggestion).toBe("Did you mean 'files'? Use `toolcrib list` to list the servers.")
  const tool = errorOf('TOOL_NOT_FOUND', { name: 'red', server: undefined, similar, find: 'search_tools' }, { similar })
  expect(forPeople(tool).suggestion).toBe("Did you mean 'files'? Use `toolcrib search` to find tools.")
  expect(forPeople({ ...tool, server: 'disk', tool: 'red' }).suggestion).toBe(
    "Did you mean 'files'? Run `toolcrib tools disk` to see its tools.",
  )
})

it('the command that an error suggests quotes the names of the server and of the tool', () => {
  const tool = errorOf('TOOL_NOT_FOUND', { name: 'red', server: undefined, similar: [], find: 'search_tools' })
  expect(forPeople({ ...tool, server: 'my srv', tool: 'red' }).suggestion).toContain("`toolcrib tools 'my srv'`")
  expect(unavailable('my srv', { reason: 'it ended' }).suggestion).toContain("`toolcrib doctor 'my srv'`")
  expect(howToInspect('my srv', 'a tool')).toContain("`toolcrib inspect 'my srv' 'a tool'`")
  expect(howToInspect('', 'read')).toContain('`toolcrib inspect read`')
})

it('an error for people keeps a suggestion that only mentions the name of a tool of the gateway', () => {
  const failed = errorOf('TOOL_EXECUTION_ERROR', { reason: 'no', server: 'other', name: 'list_tools' })
  expect(forPeople(failed)).toEqual(failed)
})

it('a thrown error is converted with its message and its suggestion in separate fields', () => {
  const error = errorOf('NO_GATEWAY', {})
  expect(errorOfThrown(new ToolcribError('NO_GATEWAY', error))).toEqual(error)
})
