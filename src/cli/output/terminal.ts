// What the terminal can show: colours, how wide, and whether there is one at all.

export interface Terminal {
  /** Whether a person reads what goes to stdout, and to stderr. */
  readonly isOut: boolean
  readonly isErr: boolean
  /** Whether a person could answer a question. */
  readonly isIn: boolean
  /** Endless where nobody reads it on a screen: a line in a pipe is not broken. */
  readonly width: number
  readonly hasColor: boolean
  readonly hasErrColor: boolean
}

interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface Streams {
  readonly stdin: Stream
  readonly stdout: Stream
  readonly stderr: Stream
}

const MIN_WIDTH = 30
const MAX_WIDTH = 120

/** Each stream is looked at when somebody asks: a process makes them on first use, and most commands need but one. */
export function readTerminal(streams: Streams, env: Readonly<Record<string, string | undefined>>): Terminal {
  const { stdout } = streams
  const isOut = stdout.isTTY === true
  return {
    isOut,
    get isErr() {
      return streams.stderr.isTTY === true
    },
    get isIn() {
      return streams.stdin.isTTY === true
    },
    width: widthOf(isOut ? stdout.columns : undefined, env.COLUMNS, isOut),
    hasColor: wantsColor(isOut, env),
    get hasErrColor() {
      return wantsColor(streams.stderr.isTTY === true, env)
    },
  }
}

function widthOf(columns: number | undefined, stated: string | undefined, isTerminal: boolean): number {
  // Some terminals report 0 columns, when their size is not known yet.
  const width = [columns, Number(stated)].find((one) => one !== undefined && one > 0)
  if (width === undefined) return isTerminal ? 80 : Number.POSITIVE_INFINITY
  // Long lines are hard to read, however wide the window.
  return Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH)
}

/** https://no-color.org: set and not empty means none, whatever else is set. */
function wantsColor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if ((env.NO_COLOR ?? '') !== '') return false
  const forced = env.FORCE_COLOR
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTerminal && env.TERM !== 'dumb'
}
