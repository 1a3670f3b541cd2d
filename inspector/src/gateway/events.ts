// Reads a `text/event-stream` response. `EventSource` is not used, because it cannot send a token.

interface StreamEvent {
  /** `message` if the event has no name. */
  readonly name: string
  readonly data: string
}

export async function* readEvents(body: ReadableStream<BufferSource>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const parts = (rest + value).split(/\r\n\r\n|\n\n|\r\r/)
      rest = parts.pop() ?? ''
      for (const part of parts) {
        const data = fieldOf(part, 'data')
        if (data !== '') yield { name: fieldOf(part, 'event') || 'message', data }
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Returns a field of an event. Lines that start with a colon are comments that keep the connection open. */
function fieldOf(event: string, name: string): string {
  return event
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
    .join('\n')
}
