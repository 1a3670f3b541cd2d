import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { contextOf } from '../source.fixture.ts'
import { reference, signal, sourceOf, withEnv } from './upstream.fixture.ts'

describe('the everything server', () => {
  it('returns text, images, links and structured content as the server sends them', async () => {
    const { source } = sourceOf(reference('everything', 'stdio'))
    const image = await source.call('get-tiny-image', {}, contextOf())
    expect(image.content).toEqual([{ type: 'image', mimeType: 'image/png', data: expect.any(String) }])
    expect(image.wire?.content).toHaveLength(3)
    const weather = await source.call('get-structured-content', { location: 'Chicago' }, contextOf())
    expect(weather.data).toEqual(weather.wire?.structuredContent)
    const links = await source.call('get-resource-links', { count: 2 }, contextOf())
    expect(links.content?.map(({ type }) => type)).toEqual(['resource_link', 'resource_link'])
  })

  it('validates arguments with the schema of the server', async () => {
    const { source } = sourceOf(reference('everything', 'stdio'))
    await source.ensure(signal)
    const sum = (await source.list(signal)).find(({ name }) => name === 'get-sum')
    expect(await sum?.validate({ a: '1' })).toEqual({
      ok: false,
      issues: [
        { path: 'b', message: "Required field 'b' is missing" },
        {
          path: 'a',
          message: "Field 'a': expected number, received string",
          text: 'expected number, received string',
        },
      ],
    })
    expect(await sum?.validate({ a: 1, b: 2 })).toEqual({ ok: true, value: { a: 1, b: 2 } })
  })

  it('gives the server the inherited and the configured variables, and reports them and the withheld names', async () => {
    const env = { PATH: '/bin', HOME: '/tmp', AWS_PROFILE: 'dev', GITHUB_TOKEN: 'no' }
    const { source } = sourceOf(withEnv(reference('everything', 'stdio'), { MINE: 'yes' }), {
      inheritance: () => ({ env, withheld: ['GITHUB_TOKEN'] }),
    })
    expect(source.environment()).toBeUndefined()
    const { data } = await source.call('get-env', {}, contextOf())
    expect(data).toEqual({ PATH: '/bin', HOME: '/tmp', AWS_PROFILE: 'dev', MINE: 'yes' })
    expect(source.environment()).toMatchObject({ values: data, withheld: ['GITHUB_TOKEN'] })
  })

  it('knows the annotations, prompts and resources of the server', async () => {
    const { source } = sourceOf(reference('everything', 'stdio'))
    for (const list of ['prompts', 'resources']) {
      expect(await source.request(`${list}/list`, {}, signal)).toHaveProperty(`result.${list}`)
    }
    expect((await source.manifest())?.capabilities).toHaveProperty('prompts')
    const echo = (await source.list(signal)).find(({ name }) => name === 'echo')
    expect(echo).toMatchObject({ title: 'Echo Tool', annotations: { readOnlyHint: true }, traits: { mutation: false } })
  })
})

describe('the filesystem server', () => {
  it('the filesystem server reads and writes in the allowed folder, and reports why access is denied elsewhere', async () => {
    const folder = tempFolder()
    const path = folder.write('README.md', '# Hello')
    const { source } = sourceOf(reference('filesystem', folder.path))
    const read = await source.call('read_text_file', { path }, contextOf())
    expect(read.data).toEqual({ content: '# Hello' })
    await source.call('write_file', { path: folder.at('new.txt'), content: 'new' }, contextOf())
    expect(readFileSync(folder.at('new.txt'), 'utf8')).toBe('new')
    const denied = await source.call('read_text_file', { path: '/etc/hostname' }, contextOf())
    expect(denied.error).toMatchObject({
      code: 'TOOL_EXECUTION_ERROR',
      message: expect.stringContaining('Access denied'),
    })
  })
})

describe('the memory server', () => {
  it('the memory server keeps its data when it is restarted', async () => {
    const file = tempFolder().at('memory.jsonl')
    const { source } = sourceOf(withEnv(reference('memory'), { MEMORY_FILE_PATH: file }))
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }]
    await source.call('create_entities', { entities }, contextOf())
    await source.stop()
    const graph = await source.call('read_graph', {}, contextOf())
    expect(graph.data).toMatchObject({ entities: [{ name: 'Ada' }] })
  })
})
