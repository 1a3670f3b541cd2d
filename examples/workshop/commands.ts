// All commands of the workshop, on one set of records.

import type { Command, ContextDefinition } from 'toolcrib'
import { appointmentCommands } from './commands/appointment.ts'
import { bikeCommands } from './commands/bike.ts'
import { customerCommands } from './commands/customer.ts'
import { invoiceCommands } from './commands/invoice.ts'
import { orderCommands } from './commands/order.ts'
import { partCommands } from './commands/part.ts'
import { reportCommands } from './commands/report.ts'
import { staffCommands } from './commands/staff.ts'
import { createWorkshopState, type WorkshopState } from './state.ts'

export const workshopContexts: readonly ContextDefinition[] = [
  {
    name: 'workshop-floor',
    description: 'Work on the bikes: starting and finishing work, arrivals, labels.',
    triggers: ['repair', 'mechanic', 'arrival'],
    priority: 2,
  },
  {
    name: 'billing',
    description: 'Invoices and payments: reminders, refunds, corrections.',
    triggers: ['invoice', 'refund', 'overdue'],
    priority: 1,
  },
]

export function createWorkshopCommands(state: WorkshopState = createWorkshopState()): Command[] {
  return [
    customerCommands,
    bikeCommands,
    orderCommands,
    partCommands,
    invoiceCommands,
    appointmentCommands,
    staffCommands,
    reportCommands,
  ].flatMap((createCommands) => createCommands(state))
}
