// The flags of `toolcrib serve`.

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
  /** Prints the strategy and its reason instead of serving. */
  readonly explain: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
}
