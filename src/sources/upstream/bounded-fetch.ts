// fetch for answers of servers, none of whose messages may be larger than we would take over stdio.

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
const LF = 10
const CR = 13

/** An answer that is one document is measured as a whole, a stream of events event by event. */
export function createBoundedFetch(maxBytes = MAX_MESSAGE_BYTES): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    const { body, status, statusText, headers } = response
    if (body === null) return response
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
    const count = isStream ? eventBytes() : totalBytes()
    const limited = body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          if (count(chunk) <= maxBytes) controller.enqueue(chunk)
          else controller.error(new Error(`the server sent a message of more than ${maxBytes} bytes`))
        },
      }),
    )
    // A new one forgets where it came from.
    return Object.defineProperty(new Response(limited, { status, statusText, headers }), 'url', { value: response.url })
  }
}

function totalBytes(): (chunk: Uint8Array) => number {
  let total = 0
  return (chunk) => {
    total += chunk.length
    return total
  }
}

/** The bytes since the last blank line, where an event ends. */
function eventBytes(): (chunk: Uint8Array) => number {
  let sinceBlank = 0
  let inLine = 0
  return (chunk) => {
    for (const byte of chunk) {
      sinceBlank++
      if (byte === LF) {
        if (inLine === 0) sinceBlank = 0
        inLine = 0
      } else if (byte !== CR) {
        inLine++
      }
    }
    return sinceBlank
  }
}
