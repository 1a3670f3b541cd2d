// A transport in front of another one that sees the messages in both directions.

import type { Transport } from '@modelcontextprotocol/server'

interface TransportHooks {
  /** Replaces the `send` of the transport. */
  readonly send?: Transport['send']
  /** Returns whether to pass the message on to the listener. */
  receive?(...message: Parameters<NonNullable<Transport['onmessage']>>): boolean
  /** Called when the connection closes. `notify` calls the listener. */
  close?(notify: () => void): void
}

/** Returns a transport with these hooks. It sets all listeners on the inner transport, which calls them. */
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
        const notify = () => listener?.()
        inner.onclose = () => (close === undefined ? notify() : close(notify))
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
