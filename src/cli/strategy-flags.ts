// The options of strategies as flags: one table, for every command that serves tools under a strategy.

import { type Command, Option } from 'commander'
import { raise } from '../core/errors.ts'
import { oneLine } from './output/text.ts'

interface StrategyFlag {
  /** As in `strategyOptions`; the flag is the same with dashes. */
  readonly option: string
  readonly kind: 'text' | 'list' | 'number' | 'switch'
  readonly about: string
  /** Those that take it. */
  readonly strategies: readonly string[]
}

const LISTING = ['categories', 'capabilities']
const CORE = [...LISTING, 'lazy']

/** What no flag can say well (functions, descriptions, sentences) is for the configuration. */
export const STRATEGY_FLAGS: readonly StrategyFlag[] = [
  {
    option: 'listing',
    kind: 'text',
    about: 'which tools are listed: auto, full, stripped, hidden or hybrid',
    strategies: LISTING,
  },
  { option: 'invoke', kind: 'switch', about: 'list invoke_tool, which runs what is hidden', strategies: LISTING },
  { option: 'core', kind: 'list', about: 'tools listed in full: names, patterns, or learned', strategies: CORE },
  { option: 'coreBudget', kind: 'number', about: 'tokens for a learned core (4000)', strategies: CORE },
  {
    option: 'prefix',
    kind: 'text',
    about: 'of the tools that the server itself adds',
    strategies: ['individual', 'grouped', 'lazy', 'gateway', 'manage', ...LISTING, 'auto'],
  },
  { option: 'inventoryBudget', kind: 'number', about: 'tokens for the inventory (1500)', strategies: ['capabilities'] },
  { option: 'maxEnabled', kind: 'number', about: 'most tools enabled at once (40)', strategies: ['manage'] },
  { option: 'autoEnable', kind: 'switch', about: 'calling a tool enables it', strategies: ['manage'] },
  { option: 'budget', kind: 'number', about: 'most tokens for listing every tool (5000)', strategies: ['auto'] },
  { option: 'metaTools', kind: 'switch', about: 'list the tools to browse, too', strategies: ['individual'] },
  {
    option: 'builtins',
    kind: 'switch',
    about: 'list afd-call, afd-batch and afd-pipe, too',
    strategies: ['individual', 'grouped', 'manage', ...LISTING, 'auto'],
  },
]

export function addStrategyFlags(command: Command): Command {
  for (const { option, kind, about, strategies } of STRATEGY_FLAGS) {
    const who = strategies.length > CORE.length ? '' : `${strategies.join(', ')}: `
    const value = { text: ' <text>', list: ' <names>', number: ' <number>', switch: '' }[kind]
    command.addOption(new Option(`${flagOf(option)}${value}`, `${who}${about}`))
    if (kind === 'switch') command.addOption(new Option(`--no-${dashed(option)}`).hideHelp())
  }
  return command
}

/** Those that were given, as `strategyOptions`; a flag that the strategy does not take is refused. */
export function strategyOptionsIn(
  flags: Readonly<Record<string, unknown>>,
  strategy: string,
  command: string,
): Readonly<Record<string, unknown>> {
  const refuse = (reason: string) => raise('INVALID_ARGUMENTS', { reason, command })
  const given = STRATEGY_FLAGS.filter(({ option }) => flags[option] !== undefined)
  return Object.fromEntries(
    given.map(({ option, kind, strategies }) => {
      const value = flags[option]
      const flag = flagOf(option)
      if (!strategies.includes(strategy)) {
        refuse(`${flag} is an option of ${strategies.join(' and ')}, and the strategy is ${strategy}`)
      }
      if (kind === 'list') return [option, namesIn(String(value))]
      if (kind !== 'number') return [option, value]
      if (!/^\d{1,12}$/.test(String(value))) refuse(`${flag} takes a whole number, not '${String(value).slice(0, 40)}'`)
      return [option, Number(value)]
    }),
  )
}

/** Those that were given, as words: `listing hybrid`, `core read_* list_*`, `no invoke`. */
export function optionWords(options: Readonly<Record<string, unknown>>): readonly string[] {
  return STRATEGY_FLAGS.flatMap(({ option, kind }) => {
    const value = options[option]
    if (value === undefined) return []
    const name = dashed(option)
    if (kind === 'switch') return [value === false ? `no ${name}` : name]
    return [`${name} ${[value].flat().map(String).map(oneLine).join(' ')}`]
  })
}

function flagOf(option: string): string {
  return `--${dashed(option)}`
}

function dashed(option: string): string {
  return option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** A comma inside braces or a regular expression is its own. */
export function namesIn(text: string): string | readonly string[] {
  if (text === 'learned' || /^!?\/.*\/[a-z]*$/.test(text)) return text
  return text
    .split(/,(?![^{]*\})/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
