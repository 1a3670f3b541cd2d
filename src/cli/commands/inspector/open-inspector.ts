// Finds a running gateway with an inspector, or starts one on loopback, and opens the page in the browser.

import { join } from 'node:path'
import { raise } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'
import { loadValid } from '../../../setup/load-config.ts'
import { readOrMakeToken } from '../../../storage/token-file.ts'
import { askGateways } from '../../gateway/ask-gateways.ts'
import type { HttpGateway } from '../../gateway/control-server.ts'
import { inspectorPage, shownToken, tokenLines, withToken } from '../../gateway/shown-address.ts'
import { openBrowser } from '../../output/open-browser.ts'
import type { CommonFlags, Work } from '../../output/work.ts'

export interface InspectorFlags extends CommonFlags {
  /** False with --no-open. */
  readonly open: boolean
  readonly port?: string
}

interface InspectorPage extends Pick<HttpGateway, 'url' | 'login'> {
  /** The generated token of this user, if the gateway accepts it. */
  readonly token?: string | undefined
}

export async function openInspector(work: Work, flags: InspectorFlags): Promise<number> {
  const { environment, signal } = work
  const { config, port } = flags
  // A given config or port may differ from those of a running gateway.
  const running =
    config === undefined && port === undefined ? await findRunning(environment.stateDir, signal) : undefined
  if (running !== undefined) {
    const token = running.login === 'own' ? await readOrMakeToken(join(environment.stateDir, 'token')) : undefined
    await openPage(work, { ...running, token }, flags)
    return 0
  }
  // Checked before the start, because a gateway without an inspector would start for nothing.
  const { config: settings } = await loadValid(work)
  if (settings.http.inspector === 'off') {
    raise('INVALID_OPTIONS', {
      what: 'http.inspector',
      reason: 'the configuration disables the inspector',
      todo: "Set it to 'full' or 'read-only', or remove it.",
    })
  }
  const { serve } = await import('../../serving/serve-gateway.ts')
  const serveFlags = { http: true, host: '127.0.0.1', port: port ?? '0', auth: true, demo: false, explain: false }
  await serve(environment, {
    ...flags,
    ...serveFlags,
    async announce(gateway, token) {
      await openPage(work, { ...gateway, token }, flags)
      if (!work.output.isQuiet && !work.output.isJson) work.output.print('Stop with Ctrl-C.')
    },
  })
  return 0
}

async function findRunning(stateDir: string, signal: AbortSignal): Promise<InspectorPage | undefined> {
  for (const { reply } of await askGateways(stateDir, 'status', signal)) {
    const { http } = reply
    if (!isRecord(http) || typeof http.url !== 'string' || http.inspector === 'off') continue
    const login = http.login === 'own' || http.login === 'none' ? http.login : 'other'
    return { url: http.url, login }
  }
  return undefined
}

/** Opens the page in the browser, unless --no-open is given, and prints its address. */
async function openPage(work: Work, { url, login, token }: InspectorPage, { open }: InspectorFlags): Promise<void> {
  const { output, environment } = work
  const page = inspectorPage(url)
  const shown = shownToken(token, output.terminal.isStdoutTty, environment)
  const address = withToken(page, shown.token)
  const isOpened = open && (await openBrowser(withToken(page, token), environment))
  output.show({ url: page, address, login, isOpened, ...(shown.tokenFile === undefined ? {} : shown) }, () => {
    if (output.isQuiet) return [address]
    return [
      `${isOpened ? 'The inspector is open in your browser' : 'Open the inspector in a browser'}: ${address}`,
      ...tokenLines(shown, environment.home),
      ...(login === 'other' ? ['The page asks for a token: one of http.tokens, or one of `toolcrib token add`.'] : []),
    ]
  })
}
