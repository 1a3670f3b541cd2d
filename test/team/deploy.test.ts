// The files of examples/deploy: they are valid, fit together, and docs/deploy.md quotes them.

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments, parse as parseYaml } from 'yaml'
import { ownDialect } from '../../src/config/dialect.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { pathsBelow } from '../../src/front/http-answer.ts'
import { METRICS } from '../../src/front/metrics/metric-table.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8')
const deploy = (path: string) => read(`examples/deploy/${path}`)
const page = read('docs/deploy.md')
const location = {
  file: 'config.json',
  path: [],
  source: 'config',
  dialect: ownDialect,
  resolvePath: (path: string) => path,
}
const quoted = [...page.matchAll(/<!-- examples\/deploy\/(\S+) -->\n```\w+\n([\s\S]*?)\n```/g)]

/** A part of a YAML or JSON document. The tests check its fields. */
type Node = { readonly [key: string]: Node } & readonly Node[]
const yaml = (text: string) => parseYaml(text) as Node

describe('docs/deploy.md', () => {
  it.each(quoted.map(([, path = '', text = '']) => [path, text]))('docs/deploy.md quotes %s as it is', (path, text) => {
    expect(text).toBe(deploy(path).trimEnd())
  })

  it('docs/deploy.md quotes every file, or names it', () => {
    const files = readdirSync(`${root}/examples/deploy`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`.split('examples/deploy/')[1] ?? '')
    expect(files.length).toBeGreaterThan(8)
    expect(quoted.length).toBeGreaterThan(4)
    expect(files.filter((file) => !page.includes(`examples/deploy/${file}`))).toEqual([])
  })

  it('docs/deploy.md lists every metric with its type and labels', () => {
    for (const { name, type, labels, help } of Object.values(METRICS)) {
      const shown = labels.map((label) => `\`${label}\``).join(', ') || '(none)'
      expect(page).toContain(`| \`${name}\` | ${type} | ${shown} | ${help} |`)
    }
  })
})

describe('the config of the examples', () => {
  it.each([
    ['config.json', deploy('config.json')],
    // The comments of these files have the part for `http`.
    ...['nginx.conf', 'Caddyfile'].map((file) => [file, `{${/#\s+("http": .*)/.exec(deploy(file))?.[1]}}`]),
  ])('the config in %s has no problem', (_file, text) => {
    const { problems, config } = parseConfig(JSON.parse(text), location)
    expect(problems).toEqual([])
    expect(config.http.allowedHosts).toEqual(['tools.example.com'])
  })
})

describe('the Dockerfile', () => {
  const lines = deploy('Dockerfile')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const argumentsOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))

  it('the Dockerfile has only known instructions, and starts with FROM and a fixed version', () => {
    const known = /^(?:FROM|ENV|RUN|WORKDIR|VOLUME|USER|EXPOSE|HEALTHCHECK|CMD) \S/
    expect(lines.filter((line) => !known.test(line))).toEqual([])
    expect(lines[0]).toMatch(/^FROM \S+:(?!latest)\S+$/)
  })

  it('the Dockerfile does not run as root, and installs before it changes the user', () => {
    expect(argumentsOf('USER')).toEqual(['node'])
    const user = lines.indexOf('USER node')
    expect(lines.findLastIndex((line) => line.startsWith('RUN '))).toBeLessThan(user)
    expect(lines.findIndex((line) => line.startsWith('CMD '))).toBeGreaterThan(user)
  })

  it('the Dockerfile installs the version of this package, and peer dependencies in a major version that package.json allows', () => {
    const { version, peerDependencies } = JSON.parse(read('package.json'))
    const installed = /npm install --global (.*?) &&/.exec(argumentsOf('RUN')[0] ?? '')?.[1]?.split(' ') ?? []
    expect(installed).toContain(`toolcrib@${version}`)
    for (const one of installed.slice(1)) {
      const [name = '', major = ''] = one.split('@')
      expect(peerDependencies[name]).toMatch(new RegExp(`^[~^]?${major}\\.`))
    }
  })

  it('the Dockerfile checks the health at the port that it exposes, with a valid script, and starts `toolcrib serve --http`', () => {
    const [health = ''] = argumentsOf('HEALTHCHECK')
    const command = JSON.parse(health.slice(health.indexOf('CMD ') + 4))
    expect(command.slice(0, 2)).toEqual(['node', '-e'])
    expect(() => new Function(command[2])).not.toThrow()
    expect(command[2]).toContain(`http://127.0.0.1:${argumentsOf('EXPOSE')[0]}${pathsBelow('').health}`)
    expect(JSON.parse(argumentsOf('CMD')[0] ?? '')).toEqual(expect.arrayContaining(['toolcrib', 'serve', '--http']))
  })
})

describe('the files for Compose and Kubernetes', () => {
  const { services, volumes } = yaml(deploy('compose/compose.yaml'))
  const documents = parseAllDocuments(deploy('kubernetes/toolcrib.yaml')).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as Node
  })
  const kind = (name: string) => documents.find((one) => String(one.kind) === name)

  it('the deployment files run two replicas with Redis, and give calls longer than limits.drainMs to finish', () => {
    expect(services?.gateway?.deploy?.replicas).toBe(2)
    expect(services?.gateway?.environment?.TOOLCRIB_STORE).toBe('redis://redis:6379')
    expect(services?.gateway?.depends_on?.redis?.condition).toBe('service_healthy')
    expect(services?.redis?.healthcheck).toBeDefined()
    expect(parseInt(String(services?.gateway?.stop_grace_period), 10)).toBeGreaterThan(30)
    expect(Object.keys(volumes ?? {})).toEqual(['redis'])
    expect(kind('Deployment')?.spec?.template?.spec?.terminationGracePeriodSeconds).toBeGreaterThan(35)
  })

  it('the deployment files probe the paths and the port of the gateway', () => {
    const container = kind('Deployment')?.spec?.template?.spec?.containers?.[0]
    const { health, ready } = pathsBelow('')
    expect(container?.ports?.[0]).toEqual({ name: 'http', containerPort: 3100 })
    for (const [probe, path] of Object.entries({ livenessProbe: health, readinessProbe: ready, startupProbe: health }))
      expect(container?.[probe]?.httpGet).toEqual({ path, port: 'http' })
  })

  it('the deployment files run without root, with a read-only file system, and mount each volume that they name', () => {
    const pod = kind('Deployment')?.spec?.template?.spec
    const container = pod?.containers?.[0]
    expect(pod?.securityContext?.runAsNonRoot).toBe(true)
    expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    const names = (list: Node | undefined) => (list ?? []).map((one) => String(one.name)).sort()
    expect(names(container?.volumeMounts)).toEqual(names(pod?.volumes))
  })

  it('the names in the deployment files lead from the Ingress to the Service to the pods', () => {
    const labels = kind('Deployment')?.spec?.template?.metadata?.labels
    expect(kind('Service')?.spec?.selector).toEqual(labels)
    expect(kind('PodDisruptionBudget')?.spec?.selector?.matchLabels).toEqual(labels)
    const backend = kind('Ingress')?.spec?.rules?.[0]?.http?.paths?.[0]?.backend?.service
    expect(backend).toEqual({ name: String(kind('Service')?.metadata?.name), port: { name: 'http' } })
  })
})

describe('the dashboard for Grafana', () => {
  const dashboard = JSON.parse(deploy('grafana-dashboard.json')) as Node
  const queries = [
    ...(dashboard.panels ?? []).flatMap((panel) => (panel.targets ?? []).map((target) => String(target.expr))),
    ...(dashboard.templating?.list ?? []).map((one) => String(one.query)).filter((query) => query.includes('(')),
  ]
  const known = new Map(Object.values(METRICS).map((metric) => [metric.name as string, metric]))
  const used = queries.flatMap((query) => [...query.matchAll(/\btoolcrib_\w+/g)].map(([name]) => name))
  const family = (name: string) => name.replace(/_bucket$/, '')

  it('the dashboard uses every metric that exists, and no other', () => {
    expect(used.filter((name) => !known.has(family(name)))).toEqual([])
    expect([...known.keys()].filter((name) => !used.some((one) => family(one) === name))).toEqual([])
  })

  it('the dashboard uses only labels that its metrics have', () => {
    for (const query of queries) {
      const [name = ''] = /\btoolcrib_\w+/.exec(query) ?? []
      const labels: readonly string[] = [...(known.get(family(name))?.labels ?? []), 'instance', 'le']
      const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '))
      const matched = [...query.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label = '']) => label)
      expect([...grouped, ...matched].filter((label) => !labels.includes(label))).toEqual([])
    }
  })

  it('the dashboard reads the buckets of histograms, and rates of counters', () => {
    for (const query of queries.filter((one) => !one.startsWith('label_values'))) {
      const names = [...query.matchAll(/\btoolcrib_\w+/g)].map(([name]) => name)
      for (const name of names) {
        const type = known.get(family(name))?.type
        expect(name.endsWith('_bucket')).toBe(type === 'histogram')
        expect(new RegExp(`(?:rate|increase)\\(${name}`).test(query)).toBe(type !== 'gauge')
      }
    }
  })
})

describe('the unit of systemd', () => {
  const lines = deploy('toolcrib.service').split('\n')

  it('the unit of systemd has only sections, settings and comments, and gives calls time to finish', () => {
    expect(lines.filter((line) => !/^(?:|#.*|\[\w+\]|[A-Z]\w+=.+)$/.test(line))).toEqual([])
    expect(lines.filter((line) => line.startsWith('['))).toEqual(['[Unit]', '[Service]', '[Install]'])
    const value = (name: string) => lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1)
    expect(value('ExecStart')).toMatch(/toolcrib serve --http --config \/etc\/toolcrib\/config\.json$/)
    expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(30)
    expect([value('DynamicUser'), value('NoNewPrivileges')]).toEqual(['yes', 'yes'])
  })
})
