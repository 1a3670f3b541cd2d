// The shop server: products, stock, orders and parcels over stdio.

import { createMcpServer } from 'toolcrib'
import { shopCommands } from './commands.ts'
import { createShop } from './create-shop.ts'

await createMcpServer({
  name: 'shop',
  version: '1.0.0',
  commands: shopCommands(createShop()),
  toolStrategy: 'individual',
  strategyOptions: { builtins: false },
  transport: 'stdio',
}).start()
