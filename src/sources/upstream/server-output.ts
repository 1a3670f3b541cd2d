// The stderr of a server: a ring buffer with the end of the output of each process, and the lines for a listener.

export interface StderrRing {
  write(chunk: Uint8Array): void
  /** The end of the output in readable form, at most `maxChars` characters, as whole lines if possible. */
  tail(maxChars?: number): string
  /** The whole lines since the last call, in readable form. `isEnd`: also a last line without a newline. */
  take(isEnd?: boolean): readonly string[]
}

interface StderrRingOptions {
  readonly maxBytes?: number
  readonly redact?: ((text: string) => string) | undefined
}

const MAX_BYTES = 65_536
const LINE_END = 0x0a

export function createStderrRing({
  maxBytes = MAX_BYTES,
  redact = (text) => text,
}: StderrRingOptions = {}): StderrRing {
  let ring: Buffer | undefined
  let end = 0
  let isFull = false
  /** The number of bytes that `take` has not returned yet. It is larger than the ring if some are overwritten. */
  let unreadBytes = 0
  const orderedBytes = (buffer: Buffer) =>
    isFull ? Buffer.concat([buffer.subarray(end), buffer.subarray(0, end)]) : buffer.subarray(0, end)

  return {
    write(chunk) {
      ring ??= Buffer.alloc(maxBytes)
      const kept = chunk.subarray(Math.max(0, chunk.length - maxBytes))
      const first = kept.subarray(0, maxBytes - end)
      ring.set(first, end)
      ring.set(kept.subarray(first.length), 0)
      isFull ||= end + kept.length >= maxBytes
      end = (end + kept.length) % maxBytes
      unreadBytes += chunk.length
    },
    tail(maxChars = 2_000) {
      if (ring === undefined) return ''
      const bytes = orderedBytes(ring)
      // The rest of an overwritten line is left out, because it may start in the middle of a secret.
      const whole = isFull ? afterFirstLine(bytes.toString('utf8')) : bytes.toString('utf8')
      const text = redact(readable(whole)).trim()
      return text.length <= maxChars ? text : afterFirstLine(text.slice(-maxChars - 1)).trim() || text.slice(-maxChars)
    },
    take(isEnd = false) {
      if (ring === undefined || unreadBytes === 0) return []
      const bytes = orderedBytes(ring)
      const isCut = unreadBytes > bytes.length
      const fresh = bytes.subarray(Math.max(0, bytes.length - unreadBytes))
      const until = isEnd ? fresh.length : fresh.lastIndexOf(LINE_END) + 1
      // The rest of a secret may follow in an incomplete line, so its bytes are returned when the line is complete.
      if (until === 0) return []
      const lost = unreadBytes - fresh.length
      unreadBytes = fresh.length - until
      const text = fresh.subarray(0, until).toString('utf8')
      const whole = isCut ? afterFirstLine(text) : text
      const lines = redact(readable(whole))
        .split('\n')
        .filter((line) => line.trim() !== '')
      return isCut ? [`(at least ${lost} bytes of output were left out here)`, ...lines] : lines
    },
  }
}

function afterFirstLine(text: string): string {
  const lineEnd = text.indexOf('\n')
  return lineEnd < 0 ? '' : text.slice(lineEnd + 1)
}

/** Removes colours, cursor movements and other control characters. Keeps the last version of an overwritten line. */
function readable(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes them
      .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g, '')
      .replaceAll('\r\n', '\n')
      .replace(/^.*\r/gm, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
  )
}

/** How long written lines are collected before they are passed on. */
const EVERY_MS = 200

/** `onLines` gets redacted lines without control characters. Without it, no timer is started. */
export function createServerOutput(onLines: ((lines: readonly string[]) => void) | undefined, everyMs = EVERY_MS) {
  let ring: StderrRing | undefined
  let timer: NodeJS.Timeout | undefined
  const passLines = (isEnd: boolean) => {
    clearTimeout(timer)
    timer = undefined
    const lines = onLines === undefined ? [] : (ring?.take(isEnd) ?? [])
    if (lines.length > 0) onLines?.(lines)
  }
  return {
    /** A buffer for the next process. `redact` removes its secrets. */
    open(redact?: (text: string) => string): StderrRing {
      passLines(true)
      const own = createStderrRing({ redact })
      ring = own
      if (onLines === undefined) return own
      return {
        ...own,
        write(chunk) {
          own.write(chunk)
          // The timer alone must not keep the process alive.
          timer ??= setTimeout(passLines, everyMs, false).unref()
        },
      }
    },
    /** The end of the output of the last process. */
    tail: () => ring?.tail() ?? '',
    /** Passes on the remaining lines at once. */
    flush: () => passLines(true),
  }
}
