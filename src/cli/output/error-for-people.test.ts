import { expect, it } from 'vitest'
import { errorOf, ToolcribError } from '../../core/errors.ts'
import { UnusableAddress } from '../../core/unusable-address.ts'
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

it('an error about a tool of several servers suggests the typed command with one of the servers', () => {
  const servers = ['my srv', 'web']
  const error = errorOf('TOOL_AMBIGUOUS', { name: 'read_file', servers }, { servers })
  expect(forPeople(error, { command: 'execute', tool: 'read_file' }).suggestion).toBe(
    "Name the server too, for example `toolcrib execute 'my srv' read_file …`.",
  )
  expect(forPeople(error, { command: 'inspect', tool: 'read_file' }).suggestion).toContain(
    "`toolcrib inspect 'my srv' read_file`",
  )
})

it.each([
  ['EADDRNOTAVAIL', "'192.0.2.1' is not an address of this machine (EADDRNOTAVAIL)", '--host'],
  ['ENOTFOUND', "There is no host '192.0.2.1' (ENOTFOUND)", '--host'],
  ['EAI_AGAIN', "The address of '192.0.2.1' cannot be looked up (EAI_AGAIN)", '--host'],
  ['EACCES', 'This program is not allowed to use port 80 (EACCES)', '--port'],
] as const)('the error %s of a front door says %j and names the flag %s', (code, message, flag) => {
  const error = errorOfThrown(new UnusableAddress(code, '192.0.2.1', 80, undefined))
  expect(error).toMatchObject({ message, suggestion: expect.stringContaining(flag) })
})

it('an error for people keeps a suggestion that only mentions the name of a tool of the gateway', () => {
  const failed = errorOf('TOOL_EXECUTION_ERROR', { reason: 'no', server: 'other', name: 'list_tools' })
  expect(forPeople(failed)).toEqual(failed)
})

it('a thrown error is converted with its message and its suggestion in separate fields', () => {
  const error = errorOf('NO_GATEWAY', {})
  expect(errorOfThrown(new ToolcribError('NO_GATEWAY', error))).toEqual(error)
})
