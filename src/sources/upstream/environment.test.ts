import { describe, expect, it } from 'vitest'
import { environmentFor } from './environment.ts'

describe('the environment of a server', () => {
  it('passes the variables that every program needs and the configured ones, which take precedence', () => {
    const ours = { PATH: '/bin', HOME: '/h', GITHUB_TOKEN: 'secret', NODE_OPTIONS: '--inspect', TERM: undefined }
    expect(environmentFor({ HOME: '/other', MINE: '1' }, ours, 'linux')).toEqual({
      PATH: '/bin',
      HOME: '/other',
      MINE: '1',
    })
  })

  it('passes no shell functions', () => {
    expect(environmentFor({}, { SHELL: '() { :; }' }, 'linux')).toEqual({})
  })

  it('finds variables on Windows in any case', () => {
    expect(environmentFor({}, { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', Secret: 'x' }, 'win32')).toEqual({
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
    })
  })

  it('uses the configured value when a variable is spelled in two ways on Windows', () => {
    const ours = { TEMP: 'C:\\tmp', Path: 'C:\\bin' }
    expect(environmentFor({ Temp: 'D:\\mine' }, ours, 'win32')).toEqual({ Temp: 'D:\\mine', Path: 'C:\\bin' })
  })
})
