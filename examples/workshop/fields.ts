// Schema pieces that many commands share.

import { z } from 'zod'

export { contains, date, given, pageOf, paging } from '../shared/fields.ts'

export const customerId = z.string().describe('Customer id, such as cus-1')
export const bikeId = z.string().describe('Bike id, such as bik-1')
export const orderId = z.string().describe('Order id, such as ord-1')
export const partId = z.string().describe('Part id, such as prt-1')
export const invoiceId = z.string().describe('Invoice id, such as inv-1')
export const appointmentId = z.string().describe('Appointment id, such as apt-1')
export const staffId = z.string().describe('Staff id, such as stf-1')

export const cents = z.number().int().min(0).max(10_000_000)

export const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)
