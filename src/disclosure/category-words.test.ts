import { describe, expect, it } from 'vitest'
import { composeDescription } from './category-words.ts'

describe('composeDescription', () => {
  it('lists the verbs of the tool names, then their nouns', () => {
    expect(composeDescription(['list_issues', 'get_issue', 'create_issue', 'list_labels'])).toBe(
      'List, get, create: issues, labels',
    )
  })

  it('keeps the words of a noun together', () => {
    expect(composeDescription(['list_pull_requests', 'merge_pull_request', 'get_file_contents'])).toBe(
      'List, merge, get: pull requests, file contents',
    )
  })

  it('writes a first word that all names share once, before the colon, if no name has a verb', () => {
    expect(composeDescription(['toggle-logging', 'toggle-updates'])).toBe('Toggle: logging, updates')
    expect(composeDescription(['gzip-file-as-resource'])).toBe('Gzip: file as resource')
    expect(composeDescription(['echo', 'tiny_image'])).toBe('Echo, tiny image')
  })

  it('takes one verb from each name', () => {
    expect(composeDescription(['create_search', 'search_run'])).toBe('Create, search: search, run')
  })

  it('puts the most frequent words first and stops after five', () => {
    const verbs = ['get', 'list', 'create', 'update', 'delete', 'search'].map((verb) => `${verb}_note`)
    expect(composeDescription([...verbs, 'search_note'])).toBe('Search, get, list, create, update, …: note')
  })

  it('gives only nouns for names without verbs, only verbs for names without nouns, and else an empty text', () => {
    expect(composeDescription(['analytics'])).toBe('Analytics')
    expect(composeDescription(['search', 'fetch'])).toBe('Search, fetch')
    expect(composeDescription(['7', '名前'])).toBe('')
  })
})
