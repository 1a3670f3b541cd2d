// The flags of `toolcrib serve`.

import type { HttpGateway } from '../../gateway/control-server.ts'

export interface ServeFlags {
  readonly http: boolean
  readonly host?: string
  readonly port?: string
  readonly strategy?: string
  readonly config?: string
  /** False with --no-auth. */
  readonly auth: boolean
  /** True: join the shared gateway. False: serve alone. Undefined: the configuration decides. */
  readonly shared?: boolean
  /** The name of the client. */
  readonly client?: string
  /** Set if this process is the shared gateway itself. */
  readonly sharedKey?: string
  readonly demo: boolean
  /** Prints the strategy, its reason and the cost of each strategy instead of serving. */
  readonly explain: boolean
  readonly json?: boolean | undefined
  readonly quiet?: boolean | undefined
  readonly verbose?: boolean | undefined
  /** Not a flag: replaces the text that `serve --http` prints. `ownToken` is the generated token of this user. */
  announce?(gateway: HttpGateway, ownToken: string | undefined): Promise<void>
}
