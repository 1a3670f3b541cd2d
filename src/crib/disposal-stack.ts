// Closes what was opened, the last part first, like `AsyncDisposableStack`, which Node 20 does not have.

export interface DisposalStack {
  /** Adds a part. When the stack is closed, it closes this part before the parts that were added earlier. */
  use<T extends AsyncDisposable>(part: T): T
  /** Calls the function when the stack is closed. */
  defer(close: () => unknown): void
  /** Ignores the errors of parts, so that all of them are closed. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Passes a stack to `open`. If `open` fails, the parts that it has already added are closed. */
export async function openAll<T>(open: (stack: DisposalStack) => Promise<T>): Promise<T> {
  const stack = createDisposalStack()
  try {
    return await open(stack)
  } catch (error) {
    await stack[Symbol.asyncDispose]()
    throw error
  }
}

function createDisposalStack(): DisposalStack {
  const closers: (() => unknown)[] = []
  let closing: Promise<void> | undefined
  const closeAll = async () => {
    for (const close of closers.toReversed()) {
      try {
        await close()
      } catch {}
    }
  }
  return {
    use(part) {
      closers.push(() => part[Symbol.asyncDispose]())
      return part
    },
    defer: (close) => void closers.push(close),
    [Symbol.asyncDispose]() {
      closing ??= closeAll()
      return closing
    },
  }
}
