// A transport in front of another one, which sees the messages in both directions.

import type { Transport } from '@modelcontextprotocol/server'

export interface TransportHooks {
  /** In place of the transport's own. */
  readonly send?: Transport['send']
  /** Whether the message goes on to the listener. */
  receive?(...message: Parameters<NonNullable<Transport['onmessage']>>): boolean
  /** The connection is closed. `tell` calls the listener. */
  close?(tell: () => void): void
}

/** Everything else is the transport's own: its listeners are set on it, and it calls them. */
export function wrapTransport(inner: Transport, { send, receive, close }: TransportHooks): Transport {
  return Object.create(inner, {
    ...(send === undefined ? {} : { send: { value: send } }),
    onmessage: {
      get: () => inner.onmessage,
      set: (listener: Transport['onmessage']) => {
        inner.onmessage = (message, extra) => {
          if (receive?.(message, extra) !== false) listener?.(message, extra)
        }
      },
    },
    onclose: {
      get: () => inner.onclose,
      set: (listener: Transport['onclose']) => {
        const tell = () => listener?.()
        inner.onclose = () => (close === undefined ? tell() : close(tell))
      },
    },
    onerror: {
      get: () => inner.onerror,
      set: (listener: Transport['onerror']) => {
        if (listener === undefined) delete inner.onerror
        else inner.onerror = listener
      },
    },
  })
}
