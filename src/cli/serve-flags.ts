// What can be said to `toolcrib serve`.

export interface ServeFlags {
  readonly http: boolean
  readonly host?: string
  readonly port?: string
  readonly strategy?: string
  readonly config?: string
  /** False with --no-auth. */
  readonly auth: boolean
  readonly demo: boolean
  /** Says which strategy would serve, and why, in place of serving. */
  readonly explain: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
}
