// Collects bytes that arrive in chunks of any size. Memory use depends on the bytes, not on the number of chunks.

/** The size of the first segment. Each further one has twice the size of the one before it, up to the largest size. */
const FIRST_BYTES = 4_096
const LARGEST_BYTES = 1024 * 1024

export function createByteBuffer(maxBytes: number) {
  // Segments instead of one array that doubles: doubling leaves the old array for the garbage collector.
  let full: Uint8Array[] = []
  let current: Uint8Array = new Uint8Array(0)
  let used = 0
  let length = 0

  const grow = () => {
    if (used > 0) full.push(current)
    const bytes = Math.min(maxBytes - length, Math.max(current.length * 2, FIRST_BYTES), LARGEST_BYTES)
    current = new Uint8Array(bytes)
    used = 0
  }

  return {
    get length() {
      return length
    },
    /** The bytes collected so far, in order. */
    get segments(): readonly Uint8Array[] {
      return used === 0 ? full : [...full, current.subarray(0, used)]
    },
    /** The same bytes in one array. This copies them if there are several segments. */
    join(): Uint8Array {
      const [only = current.subarray(0, 0), ...more] = this.segments
      return more.length === 0 ? only : Buffer.concat([only, ...more], length)
    },
    /** Copies the chunk. Returns false and changes nothing if the buffer would then hold more than `maxBytes`. */
    append(chunk: Uint8Array): boolean {
      if (length + chunk.length > maxBytes) return false
      for (let from = 0; from < chunk.length; ) {
        if (used === current.length) grow()
        const part = chunk.subarray(from, from + current.length - used)
        current.set(part, used)
        used += part.length
        length += part.length
        from += part.length
      }
      return true
    },
    clear() {
      const [first = current] = full
      for (const segment of [...full, current]) if (segment !== first) freeBytes(segment)
      full = []
      length = 0
      used = 0
      // Keeps a segment of the first size for the next message: most messages fit into it.
      current = first.length <= FIRST_BYTES ? first : new Uint8Array(0)
    },
  }
}

/** Smaller arrays are left to the garbage collector, which is cheaper. */
const LARGE_BYTES = 4_096

/**
 * Gives the memory of an array back now. The next garbage collection may run only after another 100 MB of new objects.
 * The array is empty afterwards. Does nothing in Node 20, which lacks `transfer` and collects garbage sooner.
 */
export function freeBytes({ buffer, length }: Uint8Array): void {
  if (length < LARGE_BYTES || length !== buffer.byteLength) return
  if ('transfer' in buffer && typeof buffer.transfer === 'function') buffer.transfer(0)
}
