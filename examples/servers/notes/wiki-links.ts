// Links between notes, written as [[path]] or [[path|what to show]].

import type { Note, Vault } from './vault.ts'

const LINK = /\[\[([^\]|]+)(\|[^\]]*)?\]\]/g

export interface FoundLink {
  readonly target: string
  readonly line: number
  readonly context: string
}

export function linksIn({ body }: Note): FoundLink[] {
  return body.split('\n').flatMap((text, index) => {
    const targets = [...text.matchAll(LINK)].map(([, target = '']) => target.trim())
    return targets.map((target) => ({ target, line: index + 1, context: text.trim() }))
  })
}

export function linksTo({ notes }: Vault, path: string) {
  return [...notes.values()].flatMap((note) =>
    linksIn(note).flatMap(({ target, line, context }) => (target === path ? [{ from: note.path, line, context }] : [])),
  )
}

export function retarget(body: string, from: string, to: string): string {
  return body.replace(LINK, (link, target: string, shown = '') => (target.trim() === from ? `[[${to}${shown}]]` : link))
}
