import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Record<string, unknown>
}

interface Job {
  readonly needs?: string | string[]
  readonly permissions?: Record<string, string>
  readonly environment?: string
  readonly 'timeout-minutes'?: number
  readonly uses?: string
  readonly steps?: Step[]
}

interface Workflow {
  readonly permissions: Record<string, string>
  readonly concurrency: unknown
  readonly jobs: Record<string, Job>
}

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = join(root, '.github/workflows')
const workflows = readdirSync(folder).map((name) => {
  const text = readFileSync(join(folder, name), 'utf8')
  return { name, text, workflow: parse(text) as Workflow }
})
const jobs = workflows.flatMap(({ name, workflow }) =>
  Object.entries(workflow.jobs).map(([id, job]) => ({ name: `${name} ${id}`, job })),
)

describe('workflows', () => {
  it.each(workflows)('$name names every action by a commit and its version', ({ text }) => {
    const actions = [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action)
    expect(actions.length).toBeGreaterThan(0)
    const form = /^(\.\/\.github\/workflows\/[\w-]+\.yml|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/
    expect(actions.filter((action) => !form.test(action))).toEqual([])
  })

  it.each(workflows)('$name has no more rights than to read', ({ workflow }) => {
    expect([{}, { contents: 'read' }]).toContainEqual(workflow.permissions)
    expect(workflow.concurrency).toBeDefined()
  })

  it('only the jobs that need it may write', () => {
    const writing = jobs.flatMap(({ name, job }) => {
      const rights = Object.entries(job.permissions ?? {}).filter(([, right]) => right !== 'read')
      return rights.length > 0 ? [`${name}: ${rights.map(([subject]) => subject).join(', ')}`] : []
    })
    expect(writing).toEqual([
      'release.yml attest: id-token, attestations',
      'release.yml draft: contents',
      'release.yml publish: contents',
    ])
  })

  it('jobs that may write run no code of packages', () => {
    const writing = jobs.filter(({ job }) => Object.values(job.permissions ?? {}).includes('write'))
    expect(writing.length).toBe(3)
    const steps = writing.flatMap(({ job }) => job.steps ?? [])
    expect(
      steps.filter(({ run = '', uses = '' }) => /\b(npm|npx|node)\b/.test(run) || uses.includes('checkout')),
    ).toEqual([])
  })

  it('a checkout does not keep the token, and every job ends in time', () => {
    const checkouts = jobs.flatMap(({ job }) => (job.steps ?? []).filter(({ uses = '' }) => uses.includes('checkout@')))
    expect(checkouts.length).toBeGreaterThan(3)
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([])
    expect(jobs.filter(({ job }) => !job.uses && job['timeout-minutes'] === undefined)).toEqual([])
  })

  it('scripts that they start exist', () => {
    const paths = workflows.flatMap(({ text }) => [...text.matchAll(/\.github\/[\w/-]+\.\w+/g)].map(([path]) => path))
    expect(new Set(paths).size).toBeGreaterThan(6)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('a release is published last, after tests, update and approval', () => {
    const jobs = workflows.find(({ name }) => name === 'release.yml')?.workflow.jobs ?? {}
    const before = (id: string): string[] => [jobs[id]?.needs ?? []].flat().flatMap((need) => [need, ...before(need)])
    expect(new Set(before('publish'))).toEqual(new Set(Object.keys(jobs).filter((id) => id !== 'publish')))
    expect(jobs['publish']?.environment).toBe('release')
  })

  it('pass actionlint', ({ skip }) => {
    const { status, stdout, error } = spawnSync('actionlint', { cwd: root, encoding: 'utf8' })
    if (error) return skip('actionlint is not installed')
    expect(stdout).toBe('')
    expect(status).toBe(0)
  })
})
