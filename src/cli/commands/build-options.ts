// The options with which the program builds a command.

export interface BuildOptions {
  /**
   * Whether the command line names the command, to run it or to print its help or completion. Otherwise only its name
   * and description are used, for the list of commands.
   */
  readonly isNamed: boolean
}
