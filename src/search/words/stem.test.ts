import { describe, expect, it } from 'vitest'
import { stem } from './stem.ts'

describe('stem', () => {
  it.each([
    ['issue', 'issues'],
    ['query', 'queries', 'querying'],
    ['delete', 'deleted', 'deletes', 'deleting'],
    ['translate', 'translation', 'translator', 'translating'],
    ['recommend', 'recommendation', 'recommended'],
    ['run', 'running', 'runs'],
    ['organize', 'organization', 'organizing'],
    ['status', 'status'],
    ['visualize', 'visualization'],
  ])('maps all forms of %s to one stem', (word, ...forms) => {
    for (const form of forms) expect(stem(form)).toBe(stem(word))
  })

  it.each([
    ['consign', 'consign'],
    ['consistency', 'consist'],
    ['generously', 'generous'],
    ['communication', 'communic'],
    ['knightly', 'knight'],
    ['hopping', 'hop'],
    ['hoping', 'hope'],
    ['agreed', 'agre'],
    ['happy', 'happi'],
    ['say', 'say'],
    ['yielding', 'yield'],
  ])('turns %j into %j, like the published algorithm', (word, stemmed) => {
    expect(stem(word)).toBe(stemmed)
  })

  it.each([
    ['news', 'new'],
    ['generate', 'general'],
    ['post', 'position'],
    ['aws', 'aw'],
  ])('gives %s and %s different stems', (one, other) => {
    expect(stem(one)).not.toBe(stem(other))
  })

  it('does not change a text that is not an English word, is too short or is too long', () => {
    for (const word of ['s3', 'k8s', 'заказы', '创建', 'café', 'db', 'x'.repeat(200)]) expect(stem(word)).toBe(word)
  })
})
