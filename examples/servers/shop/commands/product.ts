// Commands for products and their variants.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { nextNumber } from '../../../shared/counters.ts'
import { changes, destroys, reads } from '../../../shared/effects.ts'
import { contains, given, pageOf, paging } from '../../../shared/fields.ts'
import { drawBarcode } from '../barcode.ts'
import { noProduct, noSku } from '../failures.ts'
import { productId, sku, variant } from '../fields.ts'
import { type Product, productGroups, type Shop } from '../model.ts'
import { findVariant } from '../warehouse.ts'

const details = {
  name: z.string().min(2).max(80).describe('Name in the shop'),
  group: z.enum(productGroups).describe('Shelf it belongs to'),
  description: z.string().max(1_000).describe('Text in the shop'),
}

export function productCommands(shop: Shop): Command[] {
  const withStock = (product: Product) => ({
    ...product,
    variants: product.variants.map((one) => ({ ...one, onHand: shop.stock.get(one.sku)?.onHand ?? 0 })),
  })
  return [
    defineCommand({
      name: 'product-list',
      description: 'List products of the shop with their variants and prices; filters by shelf, price and text.',
      category: 'product',
      tags: ['read', 'catalog'],
      ...reads,
      examples: [{ input: { group: 'coffee', maxPriceCents: 1_000 } }],
      input: z.object({
        text: z.string().optional().describe('A part of the name or description'),
        group: details.group.optional(),
        maxPriceCents: z.number().int().min(0).optional().describe('With a variant at or below this price'),
        withDiscontinued: z.boolean().default(false).describe('Also those no longer sold'),
        ...paging,
      }),
      handler({ text = '', group, maxPriceCents = Number.MAX_SAFE_INTEGER, withDiscontinued, ...page }) {
        const wanted = [...shop.products.values()].filter(
          (one) =>
            (withDiscontinued || !one.isDiscontinued) &&
            (group ?? one.group) === one.group &&
            one.variants.some(({ priceCents }) => priceCents <= maxPriceCents) &&
            contains(text, one.name, one.description),
        )
        return success(pageOf(wanted, page))
      },
    }),
    defineCommand({
      name: 'product-get',
      description: 'Show one product with all variants, prices and what is in stock of each.',
      category: 'product',
      tags: ['read', 'catalog'],
      ...reads,
      errors: ['PRODUCT_NOT_FOUND'],
      examples: [{ input: { productId: 'prd-4' } }],
      input: z.object({ productId }),
      handler({ productId }) {
        const product = shop.products.get(productId)
        return product === undefined ? noProduct(shop, productId) : success(withStock(product))
      },
    }),
    defineCommand({
      name: 'product-create',
      description: 'Add a product with its variants to the catalog. Stock starts at zero; stock-adjust brings some in.',
      category: 'product',
      tags: ['write', 'catalog'],
      ...changes,
      errors: ['SKU_TAKEN'],
      examples: [
        {
          input: {
            name: 'Peppermint',
            group: 'tea',
            description: 'From the garden.',
            variants: [{ sku: 'TEA-MINT-50', name: '50 g', priceCents: 590, weightGrams: 60 }],
          },
        },
      ],
      input: z.object({
        ...details,
        description: details.description.default(''),
        variants: z.array(variant).min(1).max(20).describe('Sizes or colours it comes in'),
      }),
      handler({ variants, ...fields }) {
        const skus = variants.map((one) => one.sku)
        const taken = skus.find((one, index) => shop.stock.has(one) || skus.indexOf(one) !== index)
        if (taken !== undefined) return skuTaken(taken)
        const product = { id: `prd-${nextNumber(shop.counters, 'prd')}`, ...fields, variants, isDiscontinued: false }
        shop.products.set(product.id, product)
        for (const one of skus) shop.stock.set(one, { sku: one, onHand: 0, reorderAt: 0 })
        return success(withStock(product))
      },
    }),
    defineCommand({
      name: 'product-update',
      description: "Change a product's name, shelf or text, or the prices of its variants. What is left out stays.",
      category: 'product',
      tags: ['write', 'catalog'],
      ...changes,
      errors: ['PRODUCT_NOT_FOUND', 'SKU_NOT_FOUND'],
      examples: [{ input: { productId: 'prd-2', prices: [{ sku: 'COF-SIDA-250', priceCents: 1_290 }] } }],
      input: z.object({
        productId,
        ...z.object(details).partial().shape,
        prices: z
          .array(z.object({ sku, priceCents: z.number().int().min(0) }))
          .default([])
          .describe('New prices'),
      }),
      handler({ productId, prices, ...fields }) {
        const product = shop.products.get(productId)
        if (product === undefined) return noProduct(shop, productId)
        const skus = product.variants.map((one) => one.sku)
        const unknown = prices.find((price) => !skus.includes(price.sku))
        if (unknown !== undefined) return noSku(shop, unknown.sku, skus)
        const variants = product.variants.map((one) => ({ ...one, ...prices.find((price) => price.sku === one.sku) }))
        const updated = { ...product, ...given(fields), variants }
        shop.products.set(productId, updated)
        return success(withStock(updated))
      },
    }),
    defineCommand({
      name: 'product-discontinue',
      description: 'Take a product out of the shop for good. What is in stock is written off.',
      category: 'product',
      tags: ['write', 'admin'],
      ...destroys('Take {productId} out of the shop and write off its stock?'),
      errors: ['PRODUCT_NOT_FOUND'],
      examples: [{ input: { productId: 'prd-5' } }],
      input: z.object({ productId }),
      handler({ productId }) {
        const product = shop.products.get(productId)
        if (product === undefined) return noProduct(shop, productId)
        shop.products.set(productId, { ...product, isDiscontinued: true })
        const writtenOff = product.variants.map(({ sku }) => ({ sku, quantity: shop.stock.get(sku)?.onHand ?? 0 }))
        for (const { sku } of writtenOff) shop.stock.set(sku, { sku, onHand: 0, reorderAt: 0 })
        return success({ discontinued: productId, writtenOff })
      },
    }),
    defineCommand({
      name: 'product-barcode',
      description: 'Draw the barcode of a variant as a PNG picture (Code 39), to print on its label.',
      category: 'product',
      tags: ['read', 'print'],
      ...reads,
      executionTime: 'fast',
      errors: ['SKU_NOT_FOUND'],
      examples: [{ input: { sku: 'COF-HARB-250' } }],
      input: z.object({ sku }),
      handler({ sku }) {
        const found = findVariant(shop, sku)
        if (found === undefined) return noSku(shop, sku)
        const data = { sku, product: found.product.name, variant: found.variant.name }
        return success(data, { content: [{ type: 'image', mimeType: 'image/png', data: drawBarcode(sku) }] })
      },
    }),
  ]
}

function skuTaken(sku: string) {
  return failure({
    code: 'SKU_TAKEN',
    message: `The SKU ${sku} is in use`,
    suggestion: 'Choose another, or change the product that has it with product-update: see product-list.',
  })
}
