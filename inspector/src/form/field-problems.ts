// Assigns the validation problems of the gateway to the fields of a form.

export interface FieldProblem {
  /** The path of the value, as the gateway writes it: `items[0].name`. */
  readonly path: string
  readonly message: string
}

/** The problems of the value at `path`, and of the values in it. */
export function problemsIn(problems: readonly FieldProblem[], path: string): readonly FieldProblem[] {
  return problems.filter((problem) => isIn(problem, path))
}

/** The problems that are in none of `paths`. */
export function problemsOutside(problems: readonly FieldProblem[], paths: readonly string[]): readonly FieldProblem[] {
  return problems.filter((problem) => !paths.some((path) => isIn(problem, path)))
}

function isIn({ path }: FieldProblem, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)
}
