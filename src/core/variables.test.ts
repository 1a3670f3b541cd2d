import { describe, expect, it } from 'vitest'
import { mergeVariables, readVariable } from './variables.ts'

describe('readVariable', () => {
  it('ignores the case of names on Windows, but not on other systems', () => {
    const variables = { Path: 'C:\\bin', USERPROFILE: 'C:\\Ada' }
    expect(readVariable(variables, 'PATH', 'win32')).toBe('C:\\bin')
    expect(readVariable(variables, 'userprofile', 'win32')).toBe('C:\\Ada')
    expect(readVariable(variables, 'PATH', 'linux')).toBeUndefined()
  })

  it('reads no inherited property', () => {
    expect(readVariable({}, 'constructor', 'linux')).toBeUndefined()
    expect(readVariable({}, '__proto__', 'win32')).toBeUndefined()
  })
})

describe('mergeVariables', () => {
  it('takes the value and the spelling of the later layer on Windows if names differ only in case', () => {
    const layers = [{ TEMP: 'ours', Path: 'p' }, { Temp: 'its' }]
    expect(mergeVariables(layers, 'win32')).toEqual({ Temp: 'its', Path: 'p' })
    expect(mergeVariables(layers, 'linux')).toEqual({ TEMP: 'ours', Temp: 'its', Path: 'p' })
  })
})
