// Commands for staff: employees, presence and workload.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { destroys } from '../../shared/effects.ts'
import { minutesOf } from '../calendar.ts'
import { notFound, wrongStatus } from '../failures.ts'
import { given, pageOf, paging, staffId, time } from '../fields.ts'
import { type Order, roles, type StaffMember, type WorkshopState } from '../model.ts'
import { openOrders } from '../open-orders.ts'
import { labourMinutes } from '../order-lines.ts'
import { nextId } from '../state.ts'

const details = {
  name: z.string().min(2).max(80).describe('Full name'),
  role: z.enum(roles).describe('Mechanics and apprentices can be given orders'),
  skills: z.array(z.string().min(2)).max(10).describe('What they are good at, such as brakes or electrics'),
  hoursPerWeek: z.number().min(1).max(48).describe('By contract'),
}

export function staffCommands(state: WorkshopState): Command[] {
  return [
    defineCommand({
      name: 'staff-hire',
      description: 'Add a new member of staff.',
      tags: ['crud', 'write', 'people', 'admin'],
      mutation: true,
      executionTime: 'instant',
      examples: [{ input: { name: 'Kerstin Abebe', role: 'mechanic', skills: ['wheels'] } }],
      input: z.object({
        ...details,
        skills: details.skills.default([]),
        hoursPerWeek: details.hoursPerWeek.default(40),
      }),
      handler(input) {
        return success(
          save(state, { id: nextId(state, 'stf'), ...input, active: true, clockedInAt: null, workedMinutes: 0 }),
        )
      },
    }),
    defineCommand({
      name: 'staff-get',
      description: 'Show one member of staff with the orders they are working on.',
      tags: ['crud', 'read', 'people'],
      mutation: false,
      executionTime: 'instant',
      errors: ['STAFF_NOT_FOUND'],
      examples: [{ input: { staffId: 'stf-2' } }],
      input: z.object({ staffId }),
      handler({ staffId }) {
        const member = state.staff.get(staffId)
        if (member === undefined) return notFound('staff', staffId)
        return success({ ...member, orderIds: openOrdersOf(state, staffId).map(({ id }) => id) })
      },
    }),
    defineCommand({
      name: 'staff-list',
      description: 'List the staff by role, skill or whether they are clocked in now.',
      tags: ['crud', 'read', 'people'],
      mutation: false,
      executionTime: 'instant',
      examples: [{ title: 'Who is at work', input: { clockedIn: true } }],
      input: z.object({
        role: z.enum(roles).optional().describe('Only this role'),
        skill: z.string().optional().describe('Only staff with this skill'),
        clockedIn: z.boolean().optional().describe('true: only staff who are clocked in now; false: only the others'),
        includeInactive: z.boolean().default(false).describe('Also former staff'),
        ...paging,
      }),
      handler({ role, skill, clockedIn, includeInactive, ...page }) {
        const wanted = [...state.staff.values()].filter(
          (one) =>
            (role ?? one.role) === one.role &&
            (skill === undefined || one.skills.includes(skill)) &&
            (clockedIn === undefined || clockedIn === (one.clockedInAt !== null)) &&
            (includeInactive || one.active),
        )
        return success(pageOf(wanted, page))
      },
    }),
    defineCommand({
      name: 'staff-update',
      description: 'Change the role, skills or weekly hours of a member of staff.',
      tags: ['crud', 'write', 'people', 'admin'],
      mutation: true,
      executionTime: 'instant',
      errors: ['STAFF_NOT_FOUND', 'STAFF_STATUS'],
      examples: [{ title: 'Finished training', input: { staffId: 'stf-4', role: 'mechanic' } }],
      input: z.object({ staffId, ...z.object(details).partial().shape }),
      handler({ staffId, ...changes }) {
        const member = state.staff.get(staffId)
        if (member === undefined) return notFound('staff', staffId)
        if (!member.active) return formerMember(member)
        return success(save(state, { ...member, ...given(changes) }))
      },
    }),
    defineCommand({
      name: 'staff-clock-in',
      description: 'Note that someone has started work today.',
      tags: ['write', 'people', 'floor'],
      mutation: true,
      executionTime: 'instant',
      errors: ['STAFF_NOT_FOUND', 'STAFF_STATUS'],
      contexts: ['workshop-floor'],
      examples: [{ input: { staffId: 'stf-3', at: '09:00' } }],
      input: z.object({ staffId, at: time.describe('Time of arrival, HH:MM') }),
      handler({ staffId, at }) {
        const member = state.staff.get(staffId)
        if (member === undefined) return notFound('staff', staffId)
        if (!member.active) return formerMember(member)
        if (member.clockedInAt !== null) {
          return wrongStatus(
            'staff',
            staffId,
            `clocked in since ${member.clockedInAt}`,
            `Call staff-clock-out for '${staffId}' first.`,
          )
        }
        return success(save(state, { ...member, clockedInAt: at }))
      },
    }),
    defineCommand({
      name: 'staff-clock-out',
      description: 'Note that someone has left, and add the time to their hours.',
      tags: ['write', 'people', 'floor'],
      mutation: true,
      executionTime: 'instant',
      errors: ['STAFF_NOT_FOUND', 'STAFF_STATUS', 'BEFORE_CLOCK_IN'],
      requires: ['staff-clock-in'],
      contexts: ['workshop-floor'],
      examples: [{ input: { staffId: 'stf-2', at: '17:05', breakMinutes: 45 } }],
      input: z.object({
        staffId,
        at: time.describe('Time of leaving, HH:MM'),
        breakMinutes: z.number().int().min(0).max(120).default(30).describe('Not counted as work'),
      }),
      handler({ staffId, at, breakMinutes }) {
        const member = state.staff.get(staffId)
        if (member === undefined) return notFound('staff', staffId)
        if (member.clockedInAt === null) {
          return wrongStatus('staff', staffId, 'not clocked in', `Call staff-clock-in for '${staffId}' first.`)
        }
        const present = minutesOf(at) - minutesOf(member.clockedInAt) - breakMinutes
        if (present < 0) {
          return failure({
            code: 'BEFORE_CLOCK_IN',
            message: `${at} less a break of ${breakMinutes} minutes is before ${member.clockedInAt}`,
            suggestion: `Give a time after ${member.clockedInAt}, or breakMinutes: 0.`,
          })
        }
        const workedMinutes = member.workedMinutes + present
        return success(save(state, { ...member, clockedInAt: null, workedMinutes }))
      },
    }),
    defineCommand({
      name: 'staff-workload',
      description: 'Show how many orders and minutes of planned work each mechanic has, the least busy first.',
      tags: ['read', 'people', 'floor', 'planning'],
      mutation: false,
      executionTime: 'fast',
      examples: [{ title: 'Who can take an e-bike', input: { skill: 'electrics' } }],
      input: z.object({ skill: z.string().optional().describe('Only staff with this skill') }),
      handler({ skill }) {
        const people = [...state.staff.values()]
          .filter(({ active, role }) => active && (role === 'mechanic' || role === 'apprentice'))
          .filter(({ skills }) => skill === undefined || skills.includes(skill))
          .map(({ id, name, role, skills }) => {
            const orders = openOrdersOf(state, id)
            const minutes = orders.reduce((sum, { lines }) => sum + labourMinutes(lines), 0)
            return { staffId: id, name, role, skills, orders: orders.length, minutes }
          })
          .sort((a, b) => a.minutes - b.minutes)
        const best = people[0]
        return success(
          { people },
          best === undefined ? {} : { reasoning: `${best.name} has the least to do.`, confidence: 0.9 },
        )
      },
    }),
    defineCommand({
      name: 'staff-deactivate',
      description: 'End the employment of a member of staff. Refused while they have open orders.',
      tags: ['crud', 'write', 'people', 'admin'],
      ...destroys('End this employment? The person can no longer be given work.'),
      executionTime: 'instant',
      errors: ['STAFF_NOT_FOUND', 'STAFF_STATUS', 'STAFF_HAS_OPEN_ORDERS'],
      requires: ['staff-get'],
      examples: [{ input: { staffId: 'stf-5' } }],
      input: z.object({ staffId }),
      handler({ staffId }) {
        const member = state.staff.get(staffId)
        if (member === undefined) return notFound('staff', staffId)
        if (!member.active) return formerMember(member)
        const orderIds = openOrdersOf(state, staffId).map(({ id }) => id)
        if (orderIds.length > 0) {
          return failure({
            code: 'STAFF_HAS_OPEN_ORDERS',
            message: `${member.name} still has ${orderIds.join(', ')}`,
            suggestion: `Call order-assign to give ${orderIds[0]} to someone else.`,
            details: { orderIds },
          })
        }
        return success(save(state, { ...member, active: false, clockedInAt: null }))
      },
    }),
  ]
}

function openOrdersOf(state: WorkshopState, mechanicId: string): Order[] {
  return openOrders(state, (order) => order.mechanicId === mechanicId)
}

function formerMember({ id }: StaffMember) {
  return wrongStatus('staff', id, 'no longer employed', 'Call staff-list to see who is, or staff-hire.')
}

function save(state: WorkshopState, member: StaffMember): StaffMember {
  state.staff.set(member.id, member)
  return member
}
