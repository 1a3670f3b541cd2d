// The strategies of the running gateways, with their statistics.

import { askGateways } from '../../gateway/ask-gateways.ts'
import { type StrategyState, strategyStateIn } from '../../gateway/strategy-state.ts'

export interface RunningStrategy extends StrategyState {
  readonly pid: number
}

export async function runningStrategies(stateDir: string, signal: AbortSignal): Promise<readonly RunningStrategy[]> {
  const answers = await askGateways(stateDir, 'status', signal)
  return answers.flatMap((answer) => {
    const state = strategyStateIn(answer)
    return state === undefined ? [] : [{ pid: answer.pid, ...state }]
  })
}

export function runningLines(running: readonly RunningStrategy[]): readonly string[] {
  return running.map(({ pid, strategy, choice, strategyStats }) => {
    const lists = choice === null ? '' : `, which lists as ${choice.strategy}: ${choice.reason}`
    const counted = Object.entries(strategyStats).map(([name, value]) => `; ${name} ${JSON.stringify(value)}`)
    return `Running as ${pid}: ${strategy}${lists}${counted.join('')}`
  })
}
