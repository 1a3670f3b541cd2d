// The failures that many commands share, each with the call to make next.

import { type FailureResult, failure } from 'toolcrib'

const nextSteps = {
  customer: 'Call customer-search with a part of the name or address to find the id.',
  bike: 'Call bike-list with the customerId to see the bikes on record.',
  order: 'Call order-list, with a status or customerId to narrow it, to find the id.',
  part: 'Call part-list with a group or text to find the id.',
  invoice: 'Call invoice-list with the customerId or a status to find the id.',
  appointment: 'Call appointment-list with a date to find the id.',
  staff: 'Call staff-list to see who works here.',
} as const

export function notFound(kind: keyof typeof nextSteps, id: string): FailureResult {
  return failure({
    code: `${kind.toUpperCase()}_NOT_FOUND`,
    message: `No ${kind === 'staff' ? 'staff member' : kind} has the id '${id}'`,
    suggestion: nextSteps[kind],
  })
}

/** The failure for a step that is not allowed in the current status of a record. */
export function wrongStatus(kind: string, id: string, status: string, suggestion: string): FailureResult {
  return failure({
    code: `${kind.toUpperCase()}_STATUS`,
    message: `${kind[0]?.toUpperCase()}${kind.slice(1)} ${id} is ${status}, so this step is not possible`,
    suggestion,
    details: { status },
  })
}
