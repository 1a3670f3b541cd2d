// Commands for appointments. There can be as many parallel appointments as mechanics.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { destroys } from '../../shared/effects.ts'
import { addDays, freeTimes, isOpenDay } from '../calendar.ts'
import { notFound, wrongStatus } from '../failures.ts'
import { appointmentId, bikeId, customerId, date, pageOf, paging, time } from '../fields.ts'
import { type Appointment, appointmentStatuses, type Bike, services, type WorkshopState } from '../model.ts'
import { nextId } from '../state.ts'

const day = date.describe('YYYY-MM-DD; closed on Sundays')
const startTime = time.describe('HH:MM on the full or half hour, 09:00 to 16:30')
const minutes = z.number().int().min(30).max(240).multipleOf(30).describe('Length, in steps of 30')

export function appointmentCommands(state: WorkshopState): Command[] {
  return [
    defineCommand({
      name: 'appointment-book',
      description: 'Book an appointment for a customer at a free time.',
      tags: ['crud', 'write', 'front-desk', 'planning'],
      mutation: true,
      executionTime: 'fast',
      errors: ['CUSTOMER_NOT_FOUND', 'BIKE_NOT_FOUND', 'OTHER_OWNER', 'IN_THE_PAST', 'TIME_NOT_FREE'],
      requires: ['appointment-free-times'],
      examples: [
        { input: { customerId: 'cus-5', bikeId: 'bik-6', service: 'repair', date: '2026-03-04', time: '11:00' } },
      ],
      input: z.object({
        customerId,
        bikeId: bikeId.nullable().default(null).describe('A bike of this customer; null if none is on record'),
        service: z.enum(services).describe('What the customer comes for'),
        date: day,
        time: startTime,
        minutes: minutes.default(30),
      }),
      handler(input) {
        if (!state.customers.has(input.customerId)) return notFound('customer', input.customerId)
        const bike = input.bikeId === null ? null : state.bikes.get(input.bikeId)
        if (bike === undefined) return notFound('bike', input.bikeId ?? '')
        if (bike !== null && bike.customerId !== input.customerId) return otherOwner(bike, input.customerId)
        const refused = refuseTime(state, input)
        if (refused !== undefined) return refused
        return success(save(state, { id: nextId(state, 'apt'), ...input, status: 'booked' }))
      },
    }),
    defineCommand({
      name: 'appointment-get',
      description: 'Show one appointment with the names of the customer and the bike.',
      tags: ['crud', 'read', 'planning'],
      mutation: false,
      executionTime: 'instant',
      errors: ['APPOINTMENT_NOT_FOUND'],
      examples: [{ input: { appointmentId: 'apt-1' } }],
      input: z.object({ appointmentId }),
      handler({ appointmentId }) {
        const appointment = state.appointments.get(appointmentId)
        if (appointment === undefined) return notFound('appointment', appointmentId)
        const bike = appointment.bikeId === null ? undefined : state.bikes.get(appointment.bikeId)
        return success({
          ...appointment,
          customer: state.customers.get(appointment.customerId)?.name ?? null,
          bike: bike === undefined ? null : `${bike.make} ${bike.model}`,
        })
      },
    }),
    defineCommand({
      name: 'appointment-list',
      description: 'List appointments in order of time, for one day, several days or one customer.',
      tags: ['crud', 'read', 'planning'],
      mutation: false,
      executionTime: 'instant',
      examples: [{ title: 'One day', input: { from: '2026-03-03', to: '2026-03-03' } }],
      input: z.object({
        from: date.optional().describe('First day, YYYY-MM-DD'),
        to: date.optional().describe('Last day, YYYY-MM-DD'),
        customerId: customerId.optional(),
        status: z.enum(appointmentStatuses).optional().describe('Only this status'),
        ...paging,
      }),
      handler({ from = '', to = '9999-12-31', customerId, status, ...page }) {
        const wanted = [...state.appointments.values()]
          .filter((one) => one.date >= from && one.date <= to)
          .filter((one) => (customerId ?? one.customerId) === one.customerId && (status ?? one.status) === one.status)
          .sort((a, b) => `${a.date} ${a.time}`.localeCompare(`${b.date} ${b.time}`))
        return success(pageOf(wanted, page))
      },
    }),
    defineCommand({
      name: 'appointment-free-times',
      description: 'List the times at which an appointment of a given length can begin, over the next days.',
      tags: ['read', 'front-desk', 'planning'],
      mutation: false,
      executionTime: 'fast',
      examples: [{ title: 'Ninety minutes', input: { from: '2026-03-03', days: 2, minutes: 90 } }],
      input: z.object({
        from: date.optional().describe('First day, YYYY-MM-DD; today if left out'),
        days: z.number().int().min(1).max(14).default(3).describe('How many days to look at'),
        minutes: minutes.default(30),
      }),
      handler({ from = state.today, days, minutes }) {
        const dates = Array.from({ length: days }, (_, index) => addDays(from, index))
        return success({ days: dates.map((date) => ({ date, times: freeTimes(state, date, minutes) })), minutes })
      },
    }),
    defineCommand({
      name: 'appointment-reschedule',
      description: 'Move a booked appointment to another free time.',
      tags: ['crud', 'write', 'front-desk', 'planning'],
      mutation: true,
      executionTime: 'fast',
      errors: ['APPOINTMENT_NOT_FOUND', 'APPOINTMENT_STATUS', 'IN_THE_PAST', 'TIME_NOT_FREE'],
      requires: ['appointment-free-times'],
      examples: [{ input: { appointmentId: 'apt-4', date: '2026-03-05', time: '09:00' } }],
      input: z.object({ appointmentId, date: day, time: startTime, minutes: minutes.optional() }),
      handler({ appointmentId, date, time, minutes }) {
        const appointment = state.appointments.get(appointmentId)
        if (appointment === undefined) return notFound('appointment', appointmentId)
        if (appointment.status !== 'booked') return notBooked(appointment)
        const moved = { ...appointment, date, time, minutes: minutes ?? appointment.minutes }
        const refused = refuseTime(state, moved)
        if (refused !== undefined) return refused
        return success({ appointment: save(state, moved), movedFrom: `${appointment.date} ${appointment.time}` })
      },
    }),
    defineCommand({
      name: 'appointment-check-in',
      description:
        'Check in a customer who has arrived. The bike, if any, is then in the workshop; for a pickup, the customer takes it.',
      tags: ['write', 'front-desk', 'floor'],
      mutation: true,
      executionTime: 'instant',
      errors: ['APPOINTMENT_NOT_FOUND', 'APPOINTMENT_STATUS'],
      contexts: ['workshop-floor'],
      examples: [{ input: { appointmentId: 'apt-1' } }],
      input: z.object({ appointmentId }),
      handler({ appointmentId }) {
        const appointment = state.appointments.get(appointmentId)
        if (appointment === undefined) return notFound('appointment', appointmentId)
        if (appointment.status !== 'booked') return notBooked(appointment)
        const bike = appointment.bikeId === null ? undefined : state.bikes.get(appointment.bikeId)
        // A customer who picks up a bike does not leave one in the workshop.
        const place = appointment.service === 'pickup' ? 'with-customer' : 'in-workshop'
        if (bike !== undefined) state.bikes.set(bike.id, { ...bike, place })
        return success(save(state, { ...appointment, status: 'checked-in' }))
      },
    }),
    defineCommand({
      name: 'appointment-no-show',
      description: 'Mark an appointment that the customer missed. The record of the customer gets a note about it.',
      tags: ['write', 'front-desk'],
      mutation: true,
      executionTime: 'instant',
      errors: ['APPOINTMENT_NOT_FOUND', 'APPOINTMENT_STATUS'],
      examples: [{ input: { appointmentId: 'apt-1' } }],
      input: z.object({ appointmentId }),
      handler({ appointmentId }) {
        const appointment = state.appointments.get(appointmentId)
        if (appointment === undefined) return notFound('appointment', appointmentId)
        if (appointment.status !== 'booked') return notBooked(appointment)
        const customer = state.customers.get(appointment.customerId)
        if (customer !== undefined) {
          const note = `${appointment.date}: did not come at ${appointment.time}`
          state.customers.set(customer.id, { ...customer, notes: [...customer.notes, note] })
        }
        return success(save(state, { ...appointment, status: 'no-show' }))
      },
    }),
    defineCommand({
      name: 'appointment-cancel',
      description: 'Cancel a booked appointment and free its time.',
      tags: ['crud', 'write', 'front-desk', 'planning'],
      ...destroys('Cancel this appointment? Other customers can then book its time.'),
      executionTime: 'instant',
      errors: ['APPOINTMENT_NOT_FOUND', 'APPOINTMENT_STATUS'],
      requires: ['appointment-get'],
      examples: [{ input: { appointmentId: 'apt-3' } }],
      input: z.object({ appointmentId }),
      handler({ appointmentId }) {
        const appointment = state.appointments.get(appointmentId)
        if (appointment === undefined) return notFound('appointment', appointmentId)
        if (appointment.status !== 'booked') return notBooked(appointment)
        return success(save(state, { ...appointment, status: 'cancelled' }))
      },
    }),
  ]
}

function otherOwner({ id, customerId }: Bike, wanted: string) {
  return failure({
    code: 'OTHER_OWNER',
    message: `The bike ${id} belongs to ${customerId}, not to ${wanted}`,
    suggestion: `Call bike-list with customerId '${wanted}' and use one of those, or bike-transfer after a sale.`,
  })
}

function refuseTime(
  state: WorkshopState,
  { id, date, time, minutes }: Pick<Appointment, 'date' | 'time' | 'minutes'> & { readonly id?: string },
) {
  if (date < state.today) {
    return failure({
      code: 'IN_THE_PAST',
      message: `${date} is in the past`,
      suggestion: `Give ${state.today}, which is today, or a later day.`,
    })
  }
  const free = freeTimes(state, date, minutes, id)
  if (free.includes(time)) return undefined
  const later = `call appointment-free-times with from '${addDays(date, 1)}'`
  const full = isOpenDay(date) ? `No time is free on ${date}` : `The workshop is closed on Sundays, such as ${date}`
  return failure({
    code: 'TIME_NOT_FREE',
    message: `An appointment of ${minutes} minutes cannot begin at ${time} on ${date}`,
    suggestion: free.length > 0 ? `Free that day: ${free.slice(0, 6).join(', ')}.` : `${full}; ${later}.`,
    details: { free },
  })
}

function notBooked({ id, status }: Appointment) {
  return wrongStatus('appointment', id, status, 'Call appointment-book to make a new one.')
}

function save(state: WorkshopState, appointment: Appointment): Appointment {
  state.appointments.set(appointment.id, appointment)
  return appointment
}
