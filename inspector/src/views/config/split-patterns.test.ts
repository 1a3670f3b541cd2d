import { expect, it } from 'vitest'
import { splitPatterns } from './split-patterns.ts'

it.each([
  ['*delete*, !*draft*', ['*delete*', '!*draft*']],
  ['*{a,b}*,c', ['*{a,b}*', 'c']],
  ['{a,{b,c},d}', ['{a,{b,c},d}']],
  ['[a,b]*, \\{a, b\\}', ['[a,b]*', '\\{a', 'b\\}']],
  ['/a{1,2}/, !/x, y/i,z', ['/a{1,2}/', '!/x, y/i', 'z']],
  ['/[/,]\\/,/,/b/', ['/[/,]\\/,/', '/b/']],
  ['/open, *a*', ['/open', '*a*']],
  [' a,, b ,', ['a', 'b']],
  [' , ', []],
])('splitPatterns splits only at commas between patterns: %s', (text, patterns) => {
  expect(splitPatterns(text)).toEqual(patterns)
})
