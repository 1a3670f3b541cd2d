import { hostname } from 'node:os'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { clientAddress, inspectorPage, shownToken, withToken } from './shown-address.ts'

describe('clientAddress', () => {
  const machine = hostname()

  it.each([
    ['http://0.0.0.0:3100/mcp', [], `http://${machine}:3100/mcp`],
    ['https://[::]:3100/tools/mcp', [], `https://${machine}:3100/tools/mcp`],
    ['http://0.0.0.0:3100/mcp', ['tools.example.com', 'b.example.com'], 'http://tools.example.com:3100/mcp'],
    ['http://0.0.0.0:3100/mcp', ['tools.example.com:8443'], 'http://tools.example.com:8443/mcp'],
    ['http://[::]:3100/mcp', ['[2001:db8::1]'], 'http://[2001:db8::1]:3100/mcp'],
    ['http://0.0.0.0:3100/mcp', ['*.example.com', 'localhost', 'b.example.com'], 'http://b.example.com:3100/mcp'],
    ['http://0.0.0.0:3100/mcp', ['*.example.com'], `http://${machine}:3100/mcp`],
    ['http://127.0.0.1:3100/mcp', ['tools.example.com'], 'http://127.0.0.1:3100/mcp'],
    ['http://10.0.0.0:3100/mcp', [], 'http://10.0.0.0:3100/mcp'],
  ])('for a gateway at %s with the allowed hosts %j, the address for clients is %s', (url, allowedHosts, expected) => {
    expect(clientAddress(url, { allowedHosts })).toBe(expected)
  })

  it.each([
    ['http://0.0.0.0:3100/mcp', ['tools.example.com'], ['10.0.0.0/8'], 'https://tools.example.com/mcp'],
    ['http://127.0.0.1:3100/t/mcp', ['*.b.com', 'b.example.com:8443'], true, 'https://b.example.com:8443/t/mcp'],
    ['http://127.0.0.1:3100/mcp', ['*.example.com'], true, 'http://127.0.0.1:3100/mcp'],
    ['http://127.0.0.1:3100/mcp', ['tools.example.com'], false, 'http://127.0.0.1:3100/mcp'],
  ])(
    'for a gateway at %s with the allowed hosts %j and trustProxy %j, the address for clients is %s',
    (url, allowedHosts, trustProxy, expected) => {
      expect(clientAddress(url, { allowedHosts, trustProxy })).toBe(expected)
    },
  )
})

describe('inspectorPage', () => {
  it.each([
    ['http://0.0.0.0:3100', 'http://127.0.0.1:3100/'],
    ['http://[::]:3100/tools', 'http://127.0.0.1:3100/tools/'],
    ['https://tools.example.com', 'https://tools.example.com/'],
  ])('the page of the gateway at %s is at %s', (url, expected) => {
    expect(inspectorPage(url)).toBe(expected)
  })
})

it('withToken adds a token to the address of the page after `#`, and changes nothing if there is no token', () => {
  expect([withToken('http://a/', 'secret'), withToken('http://a/', null)]).toEqual([
    'http://a/#token=secret',
    'http://a/',
  ])
})

it('shownToken prints a token only on a terminal, and names the token file only if the file has this token', () => {
  const folder = tempFolder()
  const file = folder.write('token', 'stored\n')
  const environment = { stateDir: folder.path }
  expect(shownToken('stored', true, environment)).toEqual({ token: 'stored' })
  expect(shownToken('stored', false, environment)).toEqual({ token: null, tokenFile: file })
  expect(shownToken('of-this-run', false, environment)).toEqual({ token: null })
  expect(shownToken('of-this-run', false, { stateDir: folder.at('absent') })).toEqual({ token: null })
})
