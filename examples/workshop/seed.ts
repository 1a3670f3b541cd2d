// The initial records of the workshop.

import { addDays } from './calendar.ts'
import type { Appointment, Bike, BikePart, Customer, Invoice, Order, StaffMember } from './model.ts'
import { labourLine, partLine, totalOf } from './order-lines.ts'

/** This day is a Monday. */
export const today = '2026-03-02'

export const customers: readonly Customer[] = [
  customer('cus-1', 'Ada Lindqvist', 'ada@lindqvist.example', '+46 70 555 01 01', 'Malmö', 'club', '2021-04-12'),
  customer('cus-2', 'Bruno Okafor', 'bruno.okafor@mail.example', '+46 70 555 01 02', 'Lund', 'standard', '2022-09-30'),
  customer('cus-3', 'Chiara Romano', 'chiara@romano.example', null, 'Malmö', 'club', '2023-01-18'),
  customer('cus-4', 'Dmitri Sato', 'd.sato@mail.example', '+46 70 555 01 04', 'Trelleborg', 'standard', '2024-06-03'),
  customer('cus-5', 'Ella Brandt', 'ella.brandt@mail.example', '+46 70 555 01 05', 'Lund', 'standard', '2025-11-21'),
  customer('cus-6', 'E. Brandt', 'ella@brandt.example', null, 'Lund', 'standard', '2026-01-09'),
]

export const bikes: readonly Bike[] = [
  bike('bik-1', 'cus-1', 'Crescent', 'Elora', 'electric', 'CR-8841-22', 'petrol', 'in-workshop'),
  bike('bik-2', 'cus-1', 'Bianchi', 'Sprint', 'road', 'BI-1190-07', 'celeste', 'with-customer'),
  bike('bik-3', 'cus-2', 'Kona', 'Unit', 'mountain', 'KO-5512-31', 'black', 'in-workshop'),
  bike('bik-4', 'cus-3', 'Christiania', 'Light', 'cargo', 'CH-0077-15', 'red', 'in-workshop'),
  bike('bik-5', 'cus-4', 'Skeppshult', 'Natur', 'city', 'SK-2310-88', 'green', 'with-customer'),
  bike('bik-6', 'cus-5', 'Puky', 'Cyke 20', 'kids', 'PU-6604-02', 'yellow', 'with-customer'),
]

export const parts: readonly BikePart[] = [
  part('prt-1', 'Disc brake pads, organic', 'brakes', 2_490, 1_120, 24, 8, 'Nordic Velo'),
  part('prt-2', 'Brake cable set', 'brakes', 1_690, 640, 15, 6, 'Nordic Velo'),
  part('prt-3', 'Chain, 11 speed', 'drivetrain', 3_990, 2_150, 9, 5, 'Kedja AB'),
  part('prt-4', 'Cassette, 11-34', 'drivetrain', 7_490, 4_380, 3, 4, 'Kedja AB'),
  part('prt-5', 'Inner tube, 28 inch', 'wheels', 890, 260, 60, 20, 'Slang & Co'),
  part('prt-6', 'Puncture-proof tyre, 28 inch', 'wheels', 3_690, 1_980, 12, 6, 'Slang & Co'),
  part('prt-7', 'Rear light, USB', 'lights', 2_990, 1_450, 2, 5, 'Ljus Direkt'),
  part('prt-8', 'Drive unit battery, 500 Wh', 'electrics', 64_900, 48_700, 1, 1, 'Voltvelo'),
  part('prt-9', 'Display cable', 'electrics', 1_990, 870, 7, 2, 'Voltvelo'),
  part('prt-10', 'Folding lock', 'accessories', 5_990, 3_310, 6, 3, 'Nordic Velo'),
]

export const staff: readonly StaffMember[] = [
  member('stf-1', 'Frida Holm', 'manager', ['billing', 'ordering'], 40, '08:45'),
  member('stf-2', 'Goran Petrov', 'mechanic', ['electrics', 'brakes'], 40, '08:55'),
  member('stf-3', 'Hanna Yilmaz', 'mechanic', ['wheels', 'drivetrain'], 32, null),
  member('stf-4', 'Isak Moreau', 'apprentice', ['brakes'], 30, null),
  member('stf-5', 'Jia Nilsson', 'front-desk', ['languages'], 25, '08:50'),
]

export const orders: readonly Order[] = [
  order('ord-1', 'cus-3', 'bik-4', 'Yearly service of the cargo bike', 'invoiced', 'stf-3', '2026-01-12', [
    labourLine(1, 'Yearly service', 90, 'club'),
    partLine(2, partOf('prt-6'), 2),
  ]),
  order('ord-2', 'cus-4', 'bik-5', 'Brakes squeal', 'invoiced', 'stf-2', '2026-02-16', [
    labourLine(1, 'Adjust brakes', 30, 'standard'),
    partLine(2, partOf('prt-2'), 1),
  ]),
  order('ord-3', 'cus-1', 'bik-1', 'Display goes dark on cobbles', 'in-progress', 'stf-2', '2026-02-26', [
    labourLine(1, 'Trace the display fault', 60, 'club'),
    partLine(2, partOf('prt-9'), 1),
  ]),
  order('ord-4', 'cus-2', 'bik-3', 'Chain skips under load', 'open', null, '2026-02-27', [
    labourLine(1, 'Replace chain', 40, 'standard'),
    partLine(2, partOf('prt-3'), 1),
  ]),
  order('ord-5', 'cus-3', 'bik-4', 'Front light flickers', 'done', 'stf-3', '2026-02-25', [
    labourLine(1, 'Mend light wiring', 20, 'club'),
  ]),
  order('ord-6', 'cus-5', 'bik-6', 'Outgrown stabilisers', 'open', 'stf-4', '2026-02-28', [
    labourLine(1, 'Remove stabilisers and adjust', 15, 'standard'),
  ]),
  order('ord-7', 'cus-2', 'bik-3', 'Tubes replaced before winter', 'invoiced', 'stf-3', '2025-11-10', [
    partLine(1, partOf('prt-5'), 2),
  ]),
]

export const invoices: readonly Invoice[] = [
  invoice('inv-1', 'ord-1', '2026-01-15', '2026-01-29', []),
  invoice('inv-2', 'ord-2', '2026-02-17', '2026-03-03', []),
  invoice('inv-3', 'ord-7', '2025-11-11', '2025-11-25', ['2025-11-11']),
]

export const appointments: readonly Appointment[] = [
  appointment('apt-1', 'cus-4', 'bik-5', 'inspection', '2026-03-02', '09:30', 60),
  appointment('apt-2', 'cus-5', 'bik-6', 'pickup', '2026-03-02', '15:00', 30),
  appointment('apt-3', 'cus-1', 'bik-2', 'fitting', '2026-03-03', '10:00', 60),
  appointment('apt-4', 'cus-2', null, 'repair', '2026-03-03', '10:00', 90),
  appointment('apt-5', 'cus-3', 'bik-4', 'pickup', '2026-03-04', '16:00', 30),
]

function customer(
  id: string,
  name: string,
  email: string,
  phone: string | null,
  city: string,
  membership: Customer['membership'],
  since: string,
): Customer {
  return { id, name, email, phone, city, membership, notes: [], since }
}

function bike(
  id: string,
  customerId: string,
  make: string,
  model: string,
  kind: Bike['kind'],
  frameNumber: string,
  color: string,
  place: Bike['place'],
): Bike {
  return { id, customerId, make, model, kind, frameNumber, color, place }
}

function part(
  id: string,
  name: string,
  group: BikePart['group'],
  priceCents: number,
  costCents: number,
  stock: number,
  reorderAt: number,
  supplier: string,
): BikePart {
  return { id, name, group, priceCents, costCents, stock, reorderAt, supplier, discontinued: false }
}

function member(
  id: string,
  name: string,
  role: StaffMember['role'],
  skills: readonly string[],
  hoursPerWeek: number,
  clockedInAt: string | null,
): StaffMember {
  return { id, name, role, skills, hoursPerWeek, active: true, clockedInAt, workedMinutes: 0 }
}

function order(
  id: string,
  customerId: string,
  bikeId: string,
  problem: string,
  status: Order['status'],
  mechanicId: string | null,
  openedOn: string,
  lines: Order['lines'],
): Order {
  const closedOn = status === 'done' || status === 'invoiced' ? openedOn : null
  return {
    id,
    customerId,
    bikeId,
    problem,
    status,
    mechanicId,
    lines,
    openedOn,
    promisedOn: addDays(openedOn, 3),
    closedOn,
  }
}

function invoice(id: string, orderId: string, issuedOn: string, dueOn: string, paidOn: readonly string[]): Invoice {
  const { customerId, lines } = find(orders, orderId)
  const totalCents = totalOf(lines)
  const payments = paidOn.map((day) => ({ amountCents: totalCents, method: 'card' as const, paidOn: day }))
  const status = payments.length === 0 ? 'open' : 'paid'
  return { id, orderId, customerId, totalCents, status, issuedOn, dueOn, payments, remindedOn: [] }
}

function appointment(
  id: string,
  customerId: string,
  bikeId: string | null,
  service: Appointment['service'],
  date: string,
  time: string,
  minutes: number,
): Appointment {
  return { id, customerId, bikeId, service, date, time, minutes, status: 'booked' }
}

function partOf(id: string): BikePart {
  return find(parts, id)
}

function find<T extends { readonly id: string }>(records: readonly T[], id: string): T {
  const record = records.find((one) => one.id === id)
  if (record === undefined) throw new Error(`The seed refers to '${id}', which does not exist.`)
  return record
}
