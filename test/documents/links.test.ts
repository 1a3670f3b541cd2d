// Every relative link in the documents points to a file or folder that exists, and to a heading that the file has.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documents } from './blocks.ts'

describe('the links in the documents', () => {
  it.each(documents())(
    'each relative link in %s points to a file or folder that exists, and to a heading of the file if it names one',
    (file) => {
      const broken = linksIn(file).flatMap((link) => {
        const problem = problemOf(link, file)
        return problem === undefined ? [] : [`${link}: ${problem}`]
      })
      expect(broken).toEqual([])
    },
  )

  it('a wrong file, a wrong heading and a link out of the project are found', () => {
    expect(problemOf('docs/no-such.md', 'README.md')).toMatch(/does not exist/)
    expect(problemOf('docs/gateway.md#no-such-heading', 'README.md')).toMatch(/has no heading/)
    expect(problemOf('../../elsewhere.md', 'docs/gateway.md')).toMatch(/outside/)
    expect(problemOf('docs/gateway.md#the-five-tools', 'README.md')).toBeUndefined()
  })
})

/** The relative links outside of code: `[text](target)`, `[name]: target` and the attributes of HTML. */
function linksIn(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
    .replace(/^ *```[\s\S]*?^ *```$/gm, '')
    .replace(/`[^`\n]*`/g, '')
  const found = [
    ...text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
    ...text.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm),
    ...text.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g),
  ]
  return found.flatMap(([, target]) => target ?? []).filter((target) => !/^[a-z]+:/i.test(target))
}

function problemOf(link: string, from: string): string | undefined {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? from : join(dirname(from), decodeURIComponent(path)).replaceAll('\\', '/')
  if (target.startsWith('..')) return 'is outside of the project'
  if (!existsSync(target)) return 'does not exist'
  if (heading === undefined) return undefined
  if (statSync(target).isDirectory()) return 'is a folder, which has no headings'
  return headingsOf(target).includes(heading) ? undefined : 'has no heading of this name'
}

/** The anchors that GitHub gives to headings. */
function headingsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '')
  const seen = new Map<string, number>()
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
    const slug = plain
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  })
}
