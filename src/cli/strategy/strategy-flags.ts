// The command-line flags for strategy options, in one table for all commands that take a strategy.

import { type Command, Option } from 'commander'
import { raise } from '../../core/errors.ts'
import { oneLine } from '../output/text.ts'

interface StrategyFlag {
  /** The key in `strategyOptions`; the flag is the same name in kebab case. */
  readonly option: string
  readonly kind: 'text' | 'list' | 'number' | 'switch'
  readonly about: string
  /** The strategies that take the option. */
  readonly strategies: readonly string[]
}

const LISTING = ['categories', 'capabilities']
const CORE = [...LISTING, 'lazy']
export const STRATEGY_NAMES = ['individual', 'grouped', 'lazy', 'gateway', 'manage', ...LISTING, 'auto']

/** Options that are functions, records or sentences can only be set in the config. */
export const STRATEGY_FLAGS: readonly StrategyFlag[] = [
  {
    option: 'listing',
    kind: 'text',
    about: 'which tools are listed: auto, full, stripped, hidden or hybrid',
    strategies: LISTING,
  },
  { option: 'invoke', kind: 'switch', about: 'list invoke_tool, which runs hidden tools', strategies: LISTING },
  { option: 'core', kind: 'list', about: "tools to list in full: names, patterns or 'learned'", strategies: CORE },
  { option: 'coreBudget', kind: 'number', about: 'tokens for a learned core (default: 4000)', strategies: CORE },
  {
    option: 'prefix',
    kind: 'text',
    about: "prefix of the gateway's own tools",
    strategies: STRATEGY_NAMES,
  },
  {
    option: 'inventoryBudget',
    kind: 'number',
    about: 'tokens for the inventory (default: 1500)',
    strategies: ['capabilities'],
  },
  {
    option: 'maxEnabled',
    kind: 'number',
    about: 'maximum number of enabled tools (default: 40)',
    strategies: ['manage'],
  },
  { option: 'autoEnable', kind: 'switch', about: 'enable a tool when it is called', strategies: ['manage'] },
  {
    option: 'budget',
    kind: 'number',
    about: 'list every tool up to this many tokens (default: 5000)',
    strategies: ['auto'],
  },
  { option: 'metaTools', kind: 'switch', about: 'also list the meta-tools', strategies: ['individual'] },
  {
    option: 'builtins',
    kind: 'switch',
    about: 'also list afd-call, afd-batch and afd-pipe',
    strategies: ['individual', 'grouped', 'manage', ...LISTING, 'auto'],
  },
]

export function addStrategyFlags(command: Command): Command {
  for (const { option, kind, about, strategies } of STRATEGY_FLAGS) {
    const who = strategies.length > CORE.length ? '' : `; only for ${strategies.join(', ')}`
    const value = { text: ' <text>', list: ' <names>', number: ' <number>', switch: '' }[kind]
    command.addOption(new Option(`${flagOf(option)}${value}`, `${about}${who}`))
    if (kind === 'switch') command.addOption(new Option(`--no-${dashed(option)}`).hideHelp())
  }
  return command
}

/** The given flags as `strategyOptions`. Refuses a flag that the strategy does not take. */
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
        refuse(`${flag} is an option of ${strategies.join(' and ')}, but the strategy is ${strategy}`)
      }
      if (kind === 'list') return [option, namesIn(String(value))]
      if (kind !== 'number') return [option, value]
      if (!/^\d{1,12}$/.test(String(value))) refuse(`${flag} takes a whole number, not '${String(value).slice(0, 40)}'`)
      return [option, Number(value)]
    }),
  )
}

/** The given options as words: `listing hybrid`, `core read_* list_*`, `no invoke`. */
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

/** Splits at commas, except inside braces or a regular expression. */
export function namesIn(text: string): string | readonly string[] {
  if (text === 'learned' || /^!?\/.*\/[a-z]*$/.test(text)) return text
  return text
    .split(/,(?![^{]*\})/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
