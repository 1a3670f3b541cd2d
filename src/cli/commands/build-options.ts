// The options with which the program builds a command.

export interface BuildOptions {
  /**
   * The command line names the command, so it runs, or its own help or completion is printed. Otherwise only its name and
   * description are used, for the list of commands.
   */
  readonly isNamed: boolean
}
