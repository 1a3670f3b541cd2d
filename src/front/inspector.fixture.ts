// Test fixture: a gateway from a config with real servers, behind a real HTTP door with the inspector.

import { readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { loadConfig } from '../config/load/load.ts'
import { type TempFolder, tempFolder } from '../config/temp-folder.fixture.ts'
import { defined } from '../core/defined.ts'
import { createGateway, type Gateway } from '../crib/from-config.ts'
import { createActivity } from './activity.ts'
import type { Identity } from './auth.ts'
import { until } from './door.fixture.ts'
import { type HttpOptions, serveHttp } from './http.ts'
import type { InspectorReports } from './inspector/inspector-options.ts'
import { ask, modern, type RawRequest, type RawResponse, toolCall } from './raw-client.fixture.ts'

export const ADMIN = 'admin-0123456789abcdef'
export const ALICE = 'alice-0123456789abcdef'
export const BOB = 'bob-0123456789abcdefgh'

export interface InspectedGateway {
  readonly gateway: Gateway
  readonly folder: TempFolder
  readonly port: number
  readonly errors: readonly Error[]
  /** Requests data with this token and returns the parsed answer. */
  get<T>(path: string, token?: string): Promise<T>
  /** Requests data with this token and returns the whole response. */
  request(path: string, token?: string, more?: RawRequest): Promise<RawResponse>
  /** Calls a tool as the page does. */
  call(name: string, args: unknown, token?: string): Promise<RawResponse>
  /** Rewrites the config file and reloads it. */
  edit(config: object): Promise<void>
  /** Stops the door, with this time for calls in flight. */
  close(drainMs: number): Promise<void>
  /** Resolves when the audit log has at least this many calls. */
  recorded(calls: number): Promise<void>
}

interface InspectedOptions extends Partial<Pick<HttpOptions, 'http' | 'cors'>> {
  /** The content of the config file. */
  readonly config: object
  /** The identities by token. Default: the token of the admin, with all rights. */
  readonly identities?: Readonly<Record<string, Identity>>
  readonly env?: Readonly<Record<string, string>>
  readonly reports?: Partial<InspectorReports>
  /** True to wait until the servers have listed their tools. Default: true. */
  readonly waitsForTools?: boolean
}

export async function openInspected(given: InspectedOptions): Promise<InspectedGateway> {
  const { config, env = {}, identities = { [ADMIN]: { principal: 'admin' } }, waitsForTools = true } = given
  const folder = tempFolder()
  folder.write('config.json', config)
  const load = (signal: AbortSignal) =>
    loadConfig({
      cwd: folder.path,
      home: folder.path,
      configDir: folder.at('none'),
      platform: process.platform,
      env: { ...env },
      explicit: folder.at('config.json'),
      signal,
    })
  const gateway = await createGateway({
    name: 'toolcrib',
    version: '1.0.0',
    env,
    stateDir: folder.at('state'),
    cacheDir: folder.at('cache'),
    load,
    onProblem: () => {},
  })
  onTestFinished(() => gateway[Symbol.asyncDispose]())
  const errors: Error[] = []
  const reports: InspectorReports = {
    describeConfig: () => ({ files: [], sources: [], problems: [] }),
    ...given.reports,
  }
  const door = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    crib: gateway.crib,
    activity: createActivity(),
    onError: (error) => void errors.push(error),
    onToolCall: () => {},
    auth: { verify: (token) => identities[token] },
    inspector: { gateway, reports: async () => reports },
    ...defined({ http: given.http, cors: given.cors }),
  })
  onTestFinished(() => door.close(0))
  if (waitsForTools) await gateway.crib.settled(new AbortController().signal)
  const base = given.http?.basePath?.replace(/\/$/, '') ?? ''
  const request = (path: string, token = ADMIN, more: RawRequest = {}) =>
    ask(door.port, {
      method: 'GET',
      path: `${base}/api/${path}`,
      ...more,
      headers: { authorization: `Bearer ${token}`, ...more.headers },
    })
  return {
    gateway,
    folder,
    port: door.port,
    errors,
    request,
    async get(path, token) {
      const { status, text } = await request(path, token)
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
      return JSON.parse(text) // the test states the type
    },
    call: (name, args, token = ADMIN) =>
      ask(door.port, { path: `${base}/mcp`, ...modern(toolCall(name, args), { authorization: `Bearer ${token}` }) }),
    async edit(next) {
      folder.write('config.json', next)
      const { applied, problems } = await gateway.reload()
      if (!applied) throw new Error(JSON.stringify(problems))
    },
    close: (drainMs) => door.close(drainMs),
    async recorded(calls) {
      const count = () => {
        try {
          return readFileSync(gateway.auditFile, 'utf8')
            .split('\n')
            .filter((line) => line.includes('"event":"call"')).length
        } catch {
          return 0
        }
      }
      await until(`the audit log has ${calls} calls`, () => count() >= calls, 20_000)
    },
  }
}
