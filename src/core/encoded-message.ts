// A JSON-RPC message with its JSON text, so that the transport does not encode it again.

const JSON_TEXT = Symbol('json')

interface ResultMessage {
  readonly jsonrpc: '2.0'
  readonly id: string | number
  readonly result: Record<string, unknown>
  readonly [JSON_TEXT]?: string
}

/** `json` is the encoded result. */
export function resultMessage(id: string | number, result: Record<string, unknown>, json?: string): ResultMessage {
  if (json === undefined) return { jsonrpc: '2.0', id, result }
  return { jsonrpc: '2.0', id, result, [JSON_TEXT]: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}` }
}

export function jsonOf(message: object): string {
  return JSON_TEXT in message && typeof message[JSON_TEXT] === 'string' ? message[JSON_TEXT] : JSON.stringify(message)
}
