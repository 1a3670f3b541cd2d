// Schema pieces that the commands of the shop share.

import { z } from 'zod'

export const productId = z.string().describe('Product id, such as prd-1')
export const sku = z.string().describe('Stock keeping unit of a variant, such as COF-HARB-250')
export const customerId = z.string().describe('Customer id, such as cus-1')
export const orderId = z.string().describe('Order id, such as ord-2')
export const cents = z.number().int().min(0).max(10_000_000)

export const country = z
  .string()
  .regex(/^[A-Z]{2}$/, 'not two capitals like DE')
  .describe('Two letters, such as DE')

export const address = z.object({
  name: z.string().min(1).max(80),
  street: z.string().min(1).max(120),
  postcode: z.string().min(2).max(12),
  city: z.string().min(1).max(80),
  country,
})

export const variant = z.object({
  sku: z
    .string()
    .regex(/^[A-Z0-9]+(-[A-Z0-9]+)*$/, 'not a SKU like TEA-MINT-50')
    .max(30)
    .describe('New and unique, such as TEA-MINT-50'),
  name: z.string().min(1).max(40).describe('Size or colour'),
  priceCents: cents,
  weightGrams: z.number().int().min(1).max(30_000),
})

export const lines = z
  .array(z.object({ sku, quantity: z.number().int().min(1).max(500) }))
  .min(1)
  .max(50)
