// The hints about the effect of a command, which clients use to ask their user for confirmation.

export const reads = { mutation: false } as const

// Both hints are set, because clients treat a mutation without `destructive: false` as destructive.
export const changes = { mutation: true, destructive: false } as const

export function destroys(confirmPrompt: string) {
  return { mutation: true, destructive: true, confirmPrompt } as const
}
