// Prints the text of `serve --http`: how to connect, the servers, and the tokens of the tool list.

import type { Gateway } from '../../crib/from-config.ts'
import { countListing } from '../../disclosure/strategies/listing/tool-cost.ts'
import type { Environment } from '../../setup/environment.ts'
import { servedConfig } from '../gateway/served-config.ts'
import {
  clientAddress,
  inspectorPage,
  proxyLines,
  shownToken,
  tokenLines,
  withToken,
} from '../gateway/shown-address.ts'
import { whyNoServers } from '../output/notes.ts'
import { createOutput, type Output, type OutputFlags } from '../output/output.ts'
import { readTerminal } from '../output/terminal.ts'
import { count, number, oneLine } from '../output/text.ts'
import { fullListTokens } from '../strategy/tool-costs.ts'
import type { HttpAccess } from './http-access.ts'

interface BannerOptions extends OutputFlags {
  readonly environment: Pick<Environment, 'stateDir' | 'home'>
  /** The value of --config. */
  readonly config?: string | undefined
}

/** `access` is undefined if the gateway requires no token. */
export async function printBanner(
  gateway: Gateway,
  url: string,
  access: Pick<HttpAccess, 'ownToken' | 'storedNames'> | undefined,
  { environment, config, ...flags }: BannerOptions,
): Promise<void> {
  const terminal = readTerminal(process, process.env)
  const output = createOutput(flags, terminal, { home: environment.home, config })
  const { http } = gateway.loaded.config
  const configured = access === undefined ? [] : Object.keys(http.tokens)
  const stored = access?.storedNames() ?? []
  const login = {
    principals: [...configured, ...stored],
    ...shownToken(access?.ownToken, terminal.isStdoutTty, environment),
  }
  const isHidden = configured.length > 0 || (access?.ownToken !== undefined && login.token === null)
  const address = `${url}/mcp`
  const document = { url, mcp: address, transport: 'http', pid: process.pid, ...login }
  // Printed before the tools are counted, because a slow server must not delay the address.
  output.show(document, () => {
    if (output.isQuiet) return [address]
    return [
      `Listening on ${address}`,
      ...(http.inspector === 'off' ? [] : [`Inspector  ${withToken(inspectorPage(url), login.token)}`]),
      ...tokensOf(configured, 'see http.tokens in the config'),
      ...tokensOf(stored, output.keepConfig('made with `toolcrib token add`')),
      ...tokenLines(login, environment.home),
      ...proxyLines(http),
      ...connectLines(clientAddress(address, http), isHidden ? '<token>' : login.token),
      '',
    ]
  })
  if (!output.isJson && !output.isQuiet) output.print(...(await servedLines(gateway, environment.home, output)))
}

async function servedLines(
  { crib, loaded }: Gateway,
  home: string,
  { wrap, keepConfig }: Pick<Output, 'wrap' | 'keepConfig'>,
): Promise<readonly string[]> {
  const { signal } = new AbortController()
  await crib.settled(signal, MAX_SETTLE_MS)
  const view = await crib.inspect(signal)
  if (view.sources.length === 0) return wrap(keepConfig(whyNoServers(servedConfig(loaded, home))))
  const { tools } = view.visible
  const without = await fullListTokens(view)
  const withGateway = await countListing(await crib.list({ caller: view.caller, signal }))
  const isDemo = loaded.servers.some(({ origin }) => origin.source === 'example')
  const servers = count(view.sources.length, isDemo ? 'example server' : 'server')
  return [
    ...wrap(`${servers}, ${count(tools.length, 'tool')}${isDemo ? ' (Toolcrib found no server of yours)' : ''}`),
    ...view.sources.flatMap(({ id, toolCount, state, reason }) => {
      if (state === 'failed')
        return wrap(keepConfig(`${oneLine(id)}: failed: ${oneLine(reason ?? 'no reason given')}`), '  ')
      const isAwaited = toolCount === undefined || (state === 'starting' && toolCount === 0)
      const isPerPerson = loaded.servers.some(({ name, perPrincipal }) => name === id && perPrincipal === true)
      const awaited = isPerPerson
        ? 'one process or connection for each person; its tools are listed when a person uses it'
        : 'still starting'
      return wrap(`${oneLine(id)}: ${isAwaited ? awaited : count(toolCount, 'tool')}`, '  ')
    }),
    '',
    ...wrap(
      `Tokens a client pays for the list of tools: ${number(without)} without Toolcrib, ${number(withGateway)} with it`,
    ),
  ]
}

/** A server that is not ready after this time, for example because it is downloaded first, is shown as starting. */
const MAX_SETTLE_MS = 15_000

/** Further names are only counted. */
const MAX_NAMES = 20

function tokensOf(names: readonly string[], where: string): readonly string[] {
  if (names.length === 0) return []
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  const shown = names.slice(0, MAX_NAMES).map(oneLine).join(', ')
  return [`${names.length === 1 ? 'A token for' : 'Tokens for'} ${shown}${more}: ${where}`]
}

function connectLines(url: string, token: string | null): readonly string[] {
  const headers = token === null ? {} : { headers: { Authorization: `Bearer ${token}` } }
  const header = token === null ? '' : ` --header "Authorization: Bearer ${token}"`
  return [
    '',
    'Paste into the configuration of an MCP client:',
    `  ${JSON.stringify({ mcpServers: { toolcrib: { type: 'http', url, ...headers } } })}`,
    'or, with Claude Code, run:',
    `  claude mcp add --transport http toolcrib ${url}${header}`,
    'Stop with Ctrl-C.',
  ]
}
