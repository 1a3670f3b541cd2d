// What a command does to the records, as the hints a client asks its user by.

export const reads = { mutation: false } as const

// Both are said: without the second, clients take every change for a destructive one.
export const changes = { mutation: true, destructive: false } as const

export function destroys(confirmPrompt: string) {
  return { mutation: true, destructive: true, confirmPrompt } as const
}
