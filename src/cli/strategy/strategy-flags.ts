// The command-line flags for strategy options, collected from the strategies, for all commands that take a strategy.

import { type Command, Option } from 'commander'
import { raise } from '../../core/errors.ts'
import { strategies } from '../../disclosure/strategies/builtins.ts'
import type { StrategyFlag, StrategyPlugin } from '../../disclosure/strategy.ts'
import { oneLine } from '../output/text.ts'

interface OptionFlag extends StrategyFlag {
  /** The key in `strategyOptions`; the flag is the same name in kebab case. */
  readonly option: string
  /** The strategies that take the option. */
  readonly strategies: readonly string[]
}

export const strategyNames: readonly string[] = [...strategies.keys()]

/** Every strategy takes `prefix`, also one of a config in code, because the gateway itself uses this option. */
const PREFIX: OptionFlag = {
  option: 'prefix',
  kind: 'text',
  about: "prefix of the gateway's own tools",
  strategies: strategyNames,
}

/** The help of a flag names the strategies that take it, unless more than this number take it. */
const MAX_NAMED_STRATEGIES = 3

export const strategyFlags: readonly OptionFlag[] = [...flagsOfAll(), PREFIX]

export function addStrategyFlags(command: Command): Command {
  for (const { option, kind, about, strategies } of strategyFlags) {
    const takenBy = strategies.length > MAX_NAMED_STRATEGIES ? '' : `; only for ${strategies.join(', ')}`
    const value = { text: ' <text>', list: ' <names>', number: ' <number>', switch: '' }[kind]
    command.addOption(new Option(`${flagOf(option)}${value}`, `${about}${takenBy}`))
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
  const given = strategyFlags.filter(({ option }) => flags[option] !== undefined)
  return Object.fromEntries(
    given.map(({ option, kind, strategies }) => {
      const value = flags[option]
      const flag = flagOf(option)
      if (option !== PREFIX.option && !strategies.includes(strategy)) {
        const typed = value === false ? `--no-${dashed(option)}` : flag
        refuse(`${typed} is an option of ${strategies.join(' and ')}, but the strategy is ${strategy}`)
      }
      if (kind === 'list') return [option, splitNames(String(value))]
      if (kind !== 'number') return [option, value]
      if (!/^\d{1,12}$/.test(String(value))) refuse(`${flag} takes a whole number, not '${String(value).slice(0, 40)}'`)
      return [option, Number(value)]
    }),
  )
}

/** The given options as words: `listing hybrid`, `core read_* list_*`, `no invoke`. */
export function optionWords(options: Readonly<Record<string, unknown>>): readonly string[] {
  return strategyFlags.flatMap(({ option, kind }) => {
    const value = options[option]
    if (value === undefined) return []
    const name = dashed(option)
    if (kind === 'switch') return [value === false ? `no ${name}` : name]
    return [`${name} ${[value].flat().map(String).map(oneLine).join(' ')}`]
  })
}

/** Each option once, because strategies share options. The flags of the strategies with the most flags come first. */
function flagsOfAll(): readonly OptionFlag[] {
  const found = new Map<string, OptionFlag>()
  const flagCount = ({ flags }: StrategyPlugin) => Object.keys(flags).length
  for (const { flags } of [...strategies.values()].toSorted((a, b) => flagCount(b) - flagCount(a))) {
    for (const [option, flag] of Object.entries(flags)) {
      const takenBy = strategyNames.filter((name) => strategies.get(name)?.flags[option] !== undefined)
      if (!found.has(option)) found.set(option, { ...flag, option, strategies: takenBy })
    }
  }
  return [...found.values()]
}

function flagOf(option: string): string {
  return `--${dashed(option)}`
}

function dashed(option: string): string {
  return option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Splits names at commas, except inside braces. Returns `learned` and a regular expression unchanged. */
export function splitNames(text: string): string | readonly string[] {
  if (text === 'learned' || /^!?\/.*\/[a-z]*$/.test(text)) return text
  return text
    .split(/,(?![^{]*\})/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
