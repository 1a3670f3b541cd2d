import { describe, expect, it } from 'vitest'
import { environmentFor } from './environment.ts'

describe('the environment of a server', () => {
  it('has the few variables that every program needs, and what was configured, which wins', () => {
    const ours = { PATH: '/bin', HOME: '/h', GITHUB_TOKEN: 'secret', NODE_OPTIONS: '--inspect', TERM: undefined }
    expect(environmentFor({ HOME: '/other', MINE: '1' }, ours, 'linux')).toEqual({
      PATH: '/bin',
      HOME: '/other',
      MINE: '1',
    })
  })

  it('has no functions of a shell in it', () => {
    expect(environmentFor({}, { SHELL: '() { :; }' }, 'linux')).toEqual({})
  })

  it('is found on Windows however it is spelled', () => {
    expect(environmentFor({}, { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', Secret: 'x' }, 'win32')).toEqual({
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
    })
  })

  it('has one value for a variable that is spelled in two ways on Windows, the configured one', () => {
    const ours = { TEMP: 'C:\\tmp', Path: 'C:\\bin' }
    expect(environmentFor({ Temp: 'D:\\mine' }, ours, 'win32')).toEqual({ Temp: 'D:\\mine', Path: 'C:\\bin' })
  })
})
