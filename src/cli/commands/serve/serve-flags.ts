// The flags of `toolcrib serve`.

export interface ServeFlags {
  readonly http: boolean
  readonly host?: string
  readonly port?: string
  readonly strategy?: string
  readonly config?: string
  /** False with --no-auth. */
  readonly auth: boolean
  readonly demo: boolean
  /** Prints the strategy and its reason instead of serving. */
  readonly explain: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
}
