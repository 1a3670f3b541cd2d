// The initial goods, customers and orders of a shop.

import type {
  Address,
  Discount,
  Product,
  ProductVariant,
  Refund,
  Shipment,
  ShopCustomer,
  ShopOrder,
  StockLevel,
} from './model.ts'

export const products: readonly Product[] = [
  product('prd-1', 'Harbour Blend', 'coffee', 'Dark and nutty, for the moka pot.', [
    variant('COF-HARB-250', '250 g', 890, 260),
    variant('COF-HARB-1000', '1 kg', 2_990, 1_020),
  ]),
  product('prd-2', 'Sidama Light', 'coffee', 'Floral, for filter.', [variant('COF-SIDA-250', '250 g', 1_190, 260)]),
  product('prd-3', 'First Flush Darjeeling', 'tea', 'Spring harvest, loose leaves.', [
    variant('TEA-DARJ-100', '100 g', 1_450, 110),
  ]),
  product('prd-4', 'Hand grinder', 'equipment', 'Steel burrs, 30 g.', [
    variant('EQU-GRIN-BLK', 'Black', 7_900, 480),
    variant('EQU-GRIN-OAK', 'Oak', 8_900, 520),
  ]),
  product('prd-5', 'Tasting box', 'gifts', 'Six coffees to try.', [variant('GIF-TAST-6', 'Six bags', 2_490, 420)]),
]

export const stock: readonly StockLevel[] = [
  { sku: 'COF-HARB-250', onHand: 84, reorderAt: 30 },
  { sku: 'COF-HARB-1000', onHand: 12, reorderAt: 15 },
  { sku: 'COF-SIDA-250', onHand: 41, reorderAt: 20 },
  { sku: 'TEA-DARJ-100', onHand: 8, reorderAt: 10 },
  { sku: 'EQU-GRIN-BLK', onHand: 5, reorderAt: 3 },
  { sku: 'EQU-GRIN-OAK', onHand: 0, reorderAt: 2 },
  { sku: 'GIF-TAST-6', onHand: 19, reorderAt: 5 },
]

export const customers: readonly ShopCustomer[] = [
  customer('cus-1', 'ines@moreira.example', address('Ines Moreira', 'Rua do Sol 12', '1200-462', 'Lisboa', 'PT'), true),
  customer('cus-2', 'olaf@berg.example', address('Olaf Berg', 'Kastanienallee 7', '10435', 'Berlin', 'DE'), false),
  customer('cus-3', 'yuki@tanaka.example', address('Yuki Tanaka', 'Lange Gasse 3', '1080', 'Wien', 'AT'), true),
]

export const orders: readonly ShopOrder[] = [
  order('ord-1', 'cus-1', 'shipped', '2026-02-18', [{ sku: 'COF-HARB-1000', quantity: 2, unitCents: 2_990 }]),
  order('ord-2', 'cus-2', 'placed', '2026-02-27', [
    { sku: 'EQU-GRIN-BLK', quantity: 1, unitCents: 7_900 },
    { sku: 'COF-SIDA-250', quantity: 2, unitCents: 1_190 },
  ]),
  order('ord-3', 'cus-3', 'refunded', '2026-01-30', [{ sku: 'TEA-DARJ-100', quantity: 1, unitCents: 1_450 }]),
  order('ord-4', 'cus-1', 'placed', '2026-03-01', [{ sku: 'GIF-TAST-6', quantity: 3, unitCents: 2_490 }]),
]

export const shipments: readonly Shipment[] = [
  { trackingCode: 'TRK-000001', orderId: 'ord-1', carrier: 'post', weightGrams: 2_040, sentOn: '2026-02-19' },
  { trackingCode: 'TRK-000002', orderId: 'ord-3', carrier: 'courier', weightGrams: 110, sentOn: '2026-01-31' },
]

export const refunds: readonly Refund[] = [
  {
    id: 'ref-1',
    orderId: 'ord-3',
    amountCents: 1_450,
    reason: 'damaged',
    note: 'Tin was open.',
    refundedOn: '2026-02-05',
  },
]

export const discounts: readonly Discount[] = [
  { code: 'SPRING10', percent: 10, minOrderCents: 2_000, validUntil: '2026-05-31' },
  { code: 'ADVENT', percent: 15, minOrderCents: 0, validUntil: '2025-12-24' },
]

function product(
  id: string,
  name: string,
  group: Product['group'],
  description: string,
  variants: readonly ProductVariant[],
) {
  return { id, name, group, description, variants, isDiscontinued: false }
}

function variant(sku: string, name: string, priceCents: number, weightGrams: number): ProductVariant {
  return { sku, name, priceCents, weightGrams }
}

function address(name: string, street: string, postcode: string, city: string, country: string): Address {
  return { name, street, postcode, city, country }
}

function customer(id: string, email: string, address: Address, wantsNews: boolean): ShopCustomer {
  return { id, email, address, wantsNews, isErased: false }
}

function order(
  id: string,
  customerId: string,
  status: ShopOrder['status'],
  placedOn: string,
  lines: ShopOrder['lines'],
): ShopOrder {
  const shipTo = customers.find((one) => one.id === customerId)?.address
  if (shipTo === undefined) throw new Error(`Order ${id} refers to '${customerId}', which is not a customer.`)
  const totalCents = lines.reduce((sum, { quantity, unitCents }) => sum + quantity * unitCents, 0)
  return { id, customerId, lines, shipTo, discountCode: null, discountCents: 0, totalCents, status, placedOn }
}
