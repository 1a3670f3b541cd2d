// Prints the text of `serve --http`: how to connect, the servers, and the tokens of the tool list.

import type { Gateway } from '../../crib/from-config.ts'
import { countListing } from '../../disclosure/strategies/listing/tool-cost.ts'
import type { Environment } from '../../setup/environment.ts'
import {
  clientAddress,
  inspectorPage,
  type ShownToken,
  shownToken,
  tokenLines,
  withToken,
} from '../gateway/shown-address.ts'
import { whyNoServers } from '../output/notes.ts'
import { createOutput, type OutputFlags } from '../output/output.ts'
import { readTerminal } from '../output/terminal.ts'
import { count, number, oneLine } from '../output/text.ts'
import { fullListTokens } from '../strategy/tool-costs.ts'
import type { HttpAccess } from './http-access.ts'

/** `access` is undefined if the gateway requires no token. */
export async function printBanner(
  gateway: Gateway,
  url: string,
  access: Pick<HttpAccess, 'ownToken'> | undefined,
  { environment, ...flags }: OutputFlags & { readonly environment: Pick<Environment, 'stateDir' | 'home'> },
): Promise<void> {
  const terminal = readTerminal(process, process.env)
  const output = createOutput(flags, terminal)
  const { inspector, allowedHosts, tokens } = gateway.loaded.config.http
  const login: ShownLogin = {
    principals: access === undefined ? [] : Object.keys(tokens),
    ...shownToken(access?.ownToken, terminal.isStdoutTty, environment),
  }
  const address = `${url}/mcp`
  const document = { url, mcp: address, transport: 'http', pid: process.pid, ...login }
  // Printed before the tools are counted, because a slow server must not delay the address.
  output.show(document, () => {
    if (output.isQuiet) return [address]
    return [
      `Listening on ${address}`,
      ...(inspector === 'off' ? [] : [`Inspector  ${withToken(inspectorPage(url), login.token)}`]),
      ...connectLines(clientAddress(address, allowedHosts), login, environment.home),
      '',
    ]
  })
  if (!output.isJson && !output.isQuiet) output.print(...(await servedLines(gateway)))
}

async function servedLines({ crib, loaded }: Gateway): Promise<readonly string[]> {
  const { signal } = new AbortController()
  await crib.settled(signal, MAX_SETTLE_MS)
  const view = await crib.inspect(signal)
  if (view.sources.length === 0) return [whyNoServers({ isDiscoveryOff: !loaded.config.discovery.enabled })]
  const { tools } = view.visible
  const without = await fullListTokens(view)
  const withGateway = await countListing(await crib.list({ caller: view.caller, signal }))
  const isDemo = loaded.servers.some(({ origin }) => origin.source === 'example')
  const servers = count(view.sources.length, isDemo ? 'example server' : 'server')
  return [
    `${servers}, ${count(tools.length, 'tool')}${isDemo ? ' (Toolcrib found no server of yours)' : ''}`,
    ...view.sources.map(({ id, toolCount, state, reason }) => {
      if (state === 'failed') return `  ${oneLine(id)}: failed: ${oneLine(reason ?? 'no reason given')}`
      const isAwaited = toolCount === undefined || (state === 'starting' && toolCount === 0)
      const isPerPerson = loaded.servers.some(({ name, perPrincipal }) => name === id && perPrincipal === true)
      const awaited = isPerPerson ? 'one for each person; its tools are listed when a person uses it' : 'still starting'
      return `  ${oneLine(id)}: ${isAwaited ? awaited : count(toolCount, 'tool')}`
    }),
    '',
    `Tokens a client pays for the list of tools (o200k): ${number(without)} without Toolcrib, ${number(withGateway)} with it`,
  ]
}

/** A server that is not ready after this time, for example because it is downloaded first, is shown as starting. */
const MAX_SETTLE_MS = 15_000

/** `token` is the generated token of this user. The tokens in the config belong to other people and are never printed. */
interface ShownLogin extends ShownToken {
  /** The names in `http.tokens` of the config. */
  readonly principals: readonly string[]
}

function connectLines(url: string, login: ShownLogin, home: string): readonly string[] {
  const { principals, token, tokenFile } = login
  const shown = principals.length > 0 || tokenFile !== undefined ? '<token>' : token
  const headers = shown === null ? {} : { headers: { Authorization: `Bearer ${shown}` } }
  const header = shown === null ? '' : ` --header "Authorization: Bearer ${shown}"`
  const tokensOf = `${principals.length === 1 ? 'A token for' : 'Tokens for'} ${principals.map(oneLine).join(', ')}`
  return [
    ...(principals.length === 0 ? [] : [`${tokensOf}: see http.tokens in the config`]),
    ...tokenLines(login, home),
    '',
    'Paste into the configuration of an MCP client:',
    `  ${JSON.stringify({ mcpServers: { toolcrib: { type: 'http', url, ...headers } } })}`,
    'or, with Claude Code, run:',
    `  claude mcp add --transport http toolcrib ${url}${header}`,
    'Stop with Ctrl-C.',
  ]
}
