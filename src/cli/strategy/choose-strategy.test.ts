import { describe, expect, it } from 'vitest'
import { type LoadedConfig, loadConfig } from '../../config/load/load.ts'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { checkStrategy, chooseStrategy, withStrategy } from './choose-strategy.ts'

async function load(discovery: object) {
  const folder = tempFolder()
  const file = folder.write('toolcrib.config.json', JSON.stringify({ discovery: { servers: {}, ...discovery } }))
  const { path } = folder
  const loaded = await loadConfig({
    cwd: path,
    home: path,
    configDir: path,
    platform: 'linux',
    env: {},
    explicit: file,
  })
  return { loaded, file }
}

describe('chooseStrategy', () => {
  it('takes the strategy from the flag, then the config, then the environment, then the default', async () => {
    const { loaded: plain } = await load({})
    const { loaded: configured, file } = await load({ strategy: 'manage' })
    const lazy = { TOOL_LOADING: 'lazy' }
    expect(chooseStrategy(configured, { strategy: 'lazy' }, lazy)).toMatchObject({
      strategy: 'lazy',
      reason: 'given with --strategy',
    })
    expect(chooseStrategy(configured, {}, lazy)).toMatchObject({ strategy: 'manage', reason: `set in ${file}` })
    expect(chooseStrategy(configured, {}, lazy)).toMatchObject({ strategyFile: file })
    expect(chooseStrategy(plain, {}, lazy)).toMatchObject({ strategy: 'categories', reason: 'TOOL_LOADING=lazy' })
    expect(chooseStrategy(plain, {}, {})).toEqual({ own: [], strategy: 'gateway', options: {}, reason: 'the default' })
  })

  it('merges flags over the configured options and drops options written for another strategy', async () => {
    const { loaded } = await load({ strategy: 'categories', strategyOptions: { listing: 'hybrid', core: 'a_*' } })
    const flags = { core: 'b_*', strategy: 'categories' }
    expect(chooseStrategy(loaded, flags, {}).options).toEqual({ listing: 'hybrid', core: ['b_*'] })
    expect(chooseStrategy(loaded, { strategy: 'gateway' }, {}).options).toEqual({})
    expect(withStrategy(loaded, chooseStrategy(loaded, { strategy: 'gateway' }, {})).config.discovery).toMatchObject({
      strategy: 'gateway',
      strategyOptions: {},
    })
  })
})

describe('checkStrategy', () => {
  it('names the config and the key of a wrong strategy and of wrong options, but not of a wrong flag', async () => {
    const check = (loaded: LoadedConfig, flags: object) => () => checkStrategy(chooseStrategy(loaded, flags, {}))
    const { loaded: wrong, file } = await load({ strategy: 'lazi' })
    expect(check(wrong, {})).toThrow(`${file} discovery.strategy: No tool strategy named 'lazi'`)
    expect(check(wrong, { strategy: 'none' })).toThrow(/^No tool strategy named 'none'/)
    const { loaded, file: other } = await load({ strategy: 'manage', strategyOptions: { maxEnabld: 3 } })
    expect(check(loaded, {})).toThrow(`${other} discovery.strategyOptions: Invalid strategyOptions of 'manage'`)
    expect(check(loaded, { strategy: 'gateway' })).not.toThrow()
  })
})
