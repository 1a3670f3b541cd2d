// The function with which scenarios cite the requirements that they test. coverage.test.ts reads its calls.

/** Returns `covers`. It throws for an id that is not one of these requirements. */
export function citing(requirements: readonly { readonly id: string }[]): (...ids: readonly string[]) => void {
  const known = new Set(requirements.map(({ id }) => id))
  return (...ids) => {
    const unknown = ids.filter((id) => !known.has(id))
    if (unknown.length > 0) throw new Error(`No requirement ${unknown.join(', ')} in requirements.ts.`)
  }
}
