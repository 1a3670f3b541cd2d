// All commands of the shop server, on one shop.

import type { Command } from 'toolcrib'
import { customerCommands } from './commands/customer.ts'
import { orderCommands } from './commands/order.ts'
import { productCommands } from './commands/product.ts'
import { refundCommands } from './commands/refund.ts'
import { reportCommands } from './commands/report.ts'
import { shippingCommands } from './commands/shipping.ts'
import { stockCommands } from './commands/stock.ts'
import type { Shop } from './model.ts'

export function shopCommands(shop: Shop): Command[] {
  return [
    productCommands,
    stockCommands,
    customerCommands,
    orderCommands,
    shippingCommands,
    refundCommands,
    reportCommands,
  ].flatMap((commandsOn) => commandsOn(shop))
}
