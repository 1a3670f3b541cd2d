import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gatewayUri, rewriteUris, splitUri } from './feature-owners.ts'

const text = fc.string({ unit: 'grapheme' })

describe('gatewayUri and splitUri', () => {
  it('recover any server name and any original URI', () => {
    fc.assert(
      fc.property(text, text, (server, uri) => {
        expect(splitUri(gatewayUri(server, uri))).toEqual({ server, uri })
      }),
    )
  })

  it('give different URIs for different servers or original URIs', () => {
    fc.assert(
      fc.property(text, text, text, text, (a, b, c, d) => {
        if (a !== c || b !== d) expect(gatewayUri(a, b)).not.toBe(gatewayUri(c, d))
      }),
    )
  })

  it('give a URI that URL normalisation does not change, and keep templates', () => {
    const uri = gatewayUri('my server', 'demo://resource/1?x=1#y')
    expect(uri).toBe('toolcrib://my%20server/demo://resource/1?x=1#y')
    expect(new URL(uri).href).toBe(uri)
    expect(gatewayUri('shelf', 'shelf://{id}')).toBe('toolcrib://shelf/shelf://{id}')
  })

  it.each(['demo://x', 'toolcrib://', 'toolcrib://server', 'toolcrib://%E0%A4%A/x', ''])(
    'find no server in %j',
    (uri) => {
      expect(splitUri(uri)).toBeUndefined()
    },
  )
})

describe('rewriteUris', () => {
  it('rewrites every resource in an answer and nothing else', () => {
    const plain = { type: 'text', text: 'demo://x', uri: 'demo://x' }
    const result = {
      description: 'kept',
      contents: [{ uri: 'demo://x', text: 'kept' }, 'odd', { uri: 7 }],
      messages: [
        { role: 'user', content: plain },
        { role: 'user', content: { type: 'resource_link', uri: 'demo://x', name: 'x' } },
        { role: 'user', content: { type: 'resource', resource: { uri: 'demo://x' } } },
        'odd',
      ],
    }
    expect(rewriteUris(result, (uri) => `new:${uri}`)).toEqual({
      description: 'kept',
      contents: [{ uri: 'new:demo://x', text: 'kept' }, 'odd', { uri: 7 }],
      messages: [
        { role: 'user', content: plain },
        { role: 'user', content: { type: 'resource_link', uri: 'new:demo://x', name: 'x' } },
        { role: 'user', content: { type: 'resource', resource: { uri: 'new:demo://x' } } },
        'odd',
      ],
    })
  })
})
