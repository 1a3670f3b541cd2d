// The records of a bicycle workshop. Money is in euro cents, dates are YYYY-MM-DD, times are HH:MM.

export const memberships = ['standard', 'club'] as const
export const bikeKinds = ['city', 'road', 'mountain', 'cargo', 'electric', 'kids'] as const
export const bikePlaces = ['with-customer', 'in-workshop', 'retired'] as const
export const orderStatuses = ['open', 'in-progress', 'done', 'invoiced', 'cancelled'] as const
export const partGroups = ['brakes', 'drivetrain', 'wheels', 'lights', 'electrics', 'accessories'] as const
export const invoiceStatuses = ['open', 'paid', 'refunded', 'void'] as const
export const paymentMethods = ['cash', 'card', 'transfer'] as const
export const appointmentStatuses = ['booked', 'checked-in', 'no-show', 'cancelled'] as const
export const services = ['inspection', 'repair', 'fitting', 'pickup'] as const
export const roles = ['mechanic', 'apprentice', 'front-desk', 'manager'] as const

export interface Customer {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly phone: string | null
  readonly city: string
  readonly membership: (typeof memberships)[number]
  readonly notes: readonly string[]
  readonly since: string
}

export interface Bike {
  readonly id: string
  readonly customerId: string
  readonly make: string
  readonly model: string
  readonly kind: (typeof bikeKinds)[number]
  readonly frameNumber: string
  readonly color: string
  readonly place: (typeof bikePlaces)[number]
}

export interface OrderLine {
  readonly line: number
  readonly kind: 'part' | 'labour'
  readonly partId: string | null
  readonly description: string
  /** The number of pieces of a part, or the minutes of labour. */
  readonly quantity: number
  readonly totalCents: number
}

export interface Order {
  readonly id: string
  readonly customerId: string
  readonly bikeId: string
  readonly problem: string
  readonly status: (typeof orderStatuses)[number]
  readonly mechanicId: string | null
  readonly lines: readonly OrderLine[]
  readonly openedOn: string
  readonly promisedOn: string
  readonly closedOn: string | null
}

export interface BikePart {
  readonly id: string
  readonly name: string
  readonly group: (typeof partGroups)[number]
  readonly priceCents: number
  readonly costCents: number
  readonly stock: number
  readonly reorderAt: number
  readonly supplier: string
  readonly discontinued: boolean
}

export interface Payment {
  /** Negative for a refund. */
  readonly amountCents: number
  readonly method: (typeof paymentMethods)[number]
  readonly paidOn: string
}

export interface Invoice {
  readonly id: string
  readonly orderId: string
  readonly customerId: string
  readonly totalCents: number
  readonly status: (typeof invoiceStatuses)[number]
  readonly issuedOn: string
  readonly dueOn: string
  readonly payments: readonly Payment[]
  readonly remindedOn: readonly string[]
}

export interface Appointment {
  readonly id: string
  readonly customerId: string
  readonly bikeId: string | null
  readonly service: (typeof services)[number]
  readonly date: string
  readonly time: string
  readonly minutes: number
  readonly status: (typeof appointmentStatuses)[number]
}

export interface StaffMember {
  readonly id: string
  readonly name: string
  readonly role: (typeof roles)[number]
  readonly skills: readonly string[]
  readonly hoursPerWeek: number
  readonly active: boolean
  readonly clockedInAt: string | null
  readonly workedMinutes: number
}

/** Records are replaced, never edited, so a result that was already returned does not change. */
export interface WorkshopState {
  /** A fixed day, so that every run returns the same results. */
  readonly today: string
  readonly customers: Map<string, Customer>
  readonly bikes: Map<string, Bike>
  readonly orders: Map<string, Order>
  readonly parts: Map<string, BikePart>
  readonly invoices: Map<string, Invoice>
  readonly appointments: Map<string, Appointment>
  readonly staff: Map<string, StaffMember>
  /** The last number of each prefix. Numbers of deleted records are not used again. */
  readonly lastNumbers: Map<string, number>
}
