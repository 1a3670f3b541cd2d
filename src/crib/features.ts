// The features seam: what a server offers besides tools (prompts, resources, completions), as its clients may use it.

/** What can be listed; the names of the fields in which the protocol lists it. */
export type FeatureKind = 'prompts' | 'resources' | 'resourceTemplates'

export const FEATURE_KINDS: readonly FeatureKind[] = ['prompts', 'resources', 'resourceTemplates']

export type FeatureMethod = 'prompts/get' | 'resources/read' | 'completion/complete'

export type Fields = Readonly<Record<string, unknown>>

export interface Features {
  /** Entries as the protocol has them; a source that fails leaves out only its own. */
  list(kind: FeatureKind, signal: AbortSignal): Promise<readonly Fields[]>
  /** The answer of whoever has it, or why there is none. Rejects only when the signal aborts. */
  answer(method: FeatureMethod, params: Fields, signal: AbortSignal): Promise<FeatureAnswer>
  /** What was listed before is listed differently from now on. */
  onChange(listener: (kind: FeatureKind) => void): () => void
}

export type FeatureAnswer =
  | { readonly ok: true; readonly result: Fields }
  | { readonly ok: false; readonly rpcCode: number; readonly message: string; readonly data?: Fields }
