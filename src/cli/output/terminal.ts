// The properties of the terminal: colours, width, and whether each stream is a terminal.

export interface Terminal {
  readonly isStdoutTty: boolean
  readonly isStderrTty: boolean
  /** Whether stdin is a terminal, so that a person can answer questions. */
  readonly isStdinTty: boolean
  /** Infinity for a pipe or a file unless COLUMNS is set, so that lines are not wrapped. */
  readonly width: number
  readonly hasColor: boolean
  readonly hasErrColor: boolean
}

interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
}

type Streams = Readonly<Record<'stdin' | 'stdout' | 'stderr', Stream>>

const MIN_WIDTH = 30
const MAX_WIDTH = 120

/** Each getter accesses its stream only when needed, because Node creates a stream on first use. */
export function readTerminal(streams: Streams, env: Readonly<Record<string, string | undefined>>): Terminal {
  const { stdout } = streams
  const isStdoutTty = stdout.isTTY === true
  return {
    isStdoutTty,
    get isStderrTty() {
      return streams.stderr.isTTY === true
    },
    get isStdinTty() {
      return streams.stdin.isTTY === true
    },
    width: widthOf(isStdoutTty ? stdout.columns : undefined, env.COLUMNS, isStdoutTty),
    hasColor: wantsColor(isStdoutTty, env),
    get hasErrColor() {
      return wantsColor(streams.stderr.isTTY === true, env)
    },
  }
}

/** Whether a person can be asked: questions are printed on stderr, and answers are read from stdin. */
export function canAsk(terminal: Pick<Terminal, 'isStdinTty' | 'isStderrTty'>): boolean {
  return terminal.isStdinTty && terminal.isStderrTty
}

function widthOf(columns: number | undefined, stated: string | undefined, isTerminal: boolean): number {
  // Some terminals report 0 columns while their size is unknown.
  const width = [columns, Number(stated)].find((one) => one !== undefined && one > 0)
  if (width === undefined) return isTerminal ? 80 : Number.POSITIVE_INFINITY
  // Long lines are hard to read, even in a wide window.
  return Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH)
}

/** https://no-color.org: a NO_COLOR that is set and not empty takes precedence. */
function wantsColor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if ((env.NO_COLOR ?? '') !== '') return false
  const forced = env.FORCE_COLOR
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTerminal && env.TERM !== 'dumb'
}
