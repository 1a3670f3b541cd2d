// Runs `toolcrib logs`: prints the newest lines of the log, and with --follow the lines that come after them.

import { setTimeout as sleep } from 'node:timers/promises'
import { errorOf, raise } from '../../../core/errors.ts'
import { findSimilarTools } from '../../../core/similarity.ts'
import { shellWord } from '../../../core/text.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { createLogTail, olderLines } from '../../../storage/log-tail.ts'
import { GATEWAY_SOURCE, gatewayLogFile, type LogRecord, readLogRecord } from '../../gateway/gateway-log.ts'
import { LIST_SERVERS } from '../../output/error-for-people.ts'
import type { Output } from '../../output/output.ts'
import { oneLine, plain, shortPath } from '../../output/text.ts'
import { type CommonFlags, failWith, type Work } from '../../output/work.ts'

export interface LogsFlags extends CommonFlags {
  readonly follow?: boolean
  readonly lines?: string
}

const DEFAULT_LINES = 100
const MAX_LINES = 1_000_000
const READ_EVERY_MS = 200

export async function showLogs(work: Work, server: string | undefined, flags: LogsFlags): Promise<number> {
  const { output, environment, signal } = work
  const limit = readLimit(flags.lines)
  const file = gatewayLogFile(environment.stateDir)
  const tail = createLogTail(file)
  try {
    const lines = await tail.next()
    const older = await olderLines(file)
    const records = recordsIn([...older, ...lines])
    if (server !== undefined) {
      const names = await namesIn(work, records)
      if (!names.includes(server)) {
        const similar = findSimilarTools(server, names)
        const error = errorOf('SERVER_NOT_FOUND', { server, similar, list: LIST_SERVERS })
        const { explainUnknownServer } = await import('../../config-changes/other-configs.ts')
        return failWith(output, await explainUnknownServer(work, error, server))
      }
    }
    const isWanted = (record: LogRecord) => server === undefined || record.source === server || record.about === server
    const print = (record: LogRecord) => output.showEach(record, () => lineOf(record, work))
    const wanted = records.filter(isWanted)
    for (const record of wanted.slice(Math.max(0, wanted.length - limit))) print(record)
    if (wanted.length === 0)
      output.print(...output.wrap(emptyText(records, server, shortPath(file, environment.home), output)))
    while (flags.follow === true && !signal.aborted) {
      await sleep(READ_EVERY_MS, undefined, { signal }).catch(() => {})
      if (!signal.aborted)
        recordsIn(await tail.next())
          .filter(isWanted)
          .forEach(print)
    }
    return 0
  } finally {
    await tail.close()
  }
}

function recordsIn(lines: readonly string[]): readonly LogRecord[] {
  return lines.flatMap((line) => readLogRecord(line) ?? [])
}

/** The names of the configured servers and of those in the log. A config with errors is accepted. */
async function namesIn(
  { environment, flags, signal }: Work,
  records: readonly LogRecord[],
): Promise<readonly string[]> {
  const { servers } = await loadFor(environment, flags, signal)
  const logged = records.flatMap(({ source, about }) => (about === undefined ? [source] : [source, about]))
  return [...new Set([GATEWAY_SOURCE, ...servers.map(({ name }) => name), ...logged])]
}

function emptyText(
  records: readonly LogRecord[],
  server: string | undefined,
  file: string,
  { keepConfig }: Pick<Output, 'keepConfig'>,
): string {
  if (server !== undefined && records.length > 0) {
    const name = oneLine(server)
    const none = `The log has no lines of '${name}' yet. Only gateways (\`toolcrib serve\` and \`toolcrib wrap\`) write to it`
    const doctor = `\`toolcrib doctor ${shellWord(name)}\` starts the server, and shows its output if it fails.`
    return server === GATEWAY_SOURCE ? `${none}.` : `${none}. ${keepConfig(doctor)}`
  }
  return `There is no log yet. A gateway writes it to ${oneLine(file)} while it serves (\`toolcrib serve\`).`
}

/** A line of the log is not wrapped, so that a search in the output finds its whole text. */
function lineOf({ time, pid, source, text }: LogRecord, { output }: Work): string {
  const { paint, isVerbose } = output
  const who = `${oneLine(source)}${isVerbose ? `[${pid}]` : ''}:`
  return `${paint.dim(localTime(time))} ${paint.bold(who)} ${plain(text).replaceAll('\n', ' ')}`
}

function localTime(time: string): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return oneLine(time)
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')}`
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LINES
  const limit = Number(text)
  if (/^\d+$/.test(text) && limit <= MAX_LINES) return limit
  return raise('INVALID_ARGUMENTS', {
    reason: `--lines takes a number from 0 to ${MAX_LINES}, not '${text}'`,
    command: 'toolcrib logs',
  })
}
