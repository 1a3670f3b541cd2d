// Runs one round of one group and prints the figures as one line of JSON: `node round.js GROUP [--short]`.

import { groups } from './groups/all.ts'

const [name, form] = process.argv.slice(2)
const group = groups.find((one) => one.name === name)
if (group === undefined) throw new Error(`No group ${name}`)
const figures = await group.round(form === '--short')
process.stdout.write(`${JSON.stringify(figures)}\n`)
