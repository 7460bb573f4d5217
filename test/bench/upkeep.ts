/**
 * Measures the rules for suggestions on a generated memory of 2,000 lines, and accepting 200 suggestions: `node
 * test/bench/upkeep.ts [--show 20] [--seed 61]`, or as part of `run.ts`. The memory is deterministic for a seed.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { visibilityOf } from '../../src/shared/markdown/visibility.ts'
import type { Proposal } from '../../src/shared/contract/index.ts'
import { batchesOf } from '../../src/main/curation/review/review-units.ts'
import { prepareReviewInput, scanNotes } from '../../src/main/curation/suggestions/scan-notes.ts'
import { ProposalService } from '../../src/main/curation/suggestions/suggestions.ts'
import { ChangeLog } from '../../src/main/workspace/changes/change-log.ts'
import { Workspace } from '../../src/main/workspace/files/workspace.ts'
import { estimateTokens } from '../../src/shared/util/tokens.ts'
import { defaultLayout } from '../../src/main/workspace/files/layout.ts'
import { makeMemory, type MadeMemory } from '../support/made-memory.ts'
import type { Figure } from './figures.ts'

const now = new Date('2026-11-22T12:00:00')
const prompts = join(import.meta.dirname, '../../resources/prompts')
const builtinFile = join(import.meta.dirname, '../../resources/models/builtin/model.bin')

export async function measureUpkeep(root: string, show = 0, seed = 61): Promise<Figure[]> {
  const made = makeMemory(seed)
  const folder = join(root, 'upkeep')
  for (const [path, text] of Object.entries(made.files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const started = performance.now()
  const proposals = await look(folder)
  const lookMs = performance.now() - started
  const duplicates = judgeDuplicates(proposals, made, show)
  const expired = judgeExpired(proposals, made, show)
  const { acceptMs, same } = await acceptAndUndo(root, folder, proposals, made)
  const review = await reviewTakes(folder, made)
  const lines = Object.values(made.files)
    .join('\n')
    .split('\n')
    .filter((line) => line.startsWith('- ')).length
  return [
    { name: 'upkeep: lines of the generated memory', value: lines, unit: 'lines' },
    { name: 'upkeep: duplicates found, of 120', value: 100 * duplicates.recall, unit: '%' },
    { name: 'upkeep: precision of duplicates', value: 100 * duplicates.precision, unit: '%' },
    { name: 'upkeep: expired lines found, of 30', value: 100 * expired.recall, unit: '%' },
    { name: 'upkeep: precision of expired lines', value: 100 * expired.precision, unit: '%' },
    {
      name: 'upkeep: planted conflicts among the pairs sent to a model',
      value: 100 * review.recall,
      unit: '%',
    },
    { name: 'upkeep: a first review with a model', value: review.requests, unit: 'requests' },
    { name: 'upkeep: tokens sent for it', value: review.tokens / 1000, unit: 'k' },
    { name: 'upkeep: selecting lines and pairs for a review', value: review.ms, unit: 'ms' },
    { name: 'upkeep: a scan of all notes', value: lookMs, unit: 'ms' },
    { name: 'upkeep: accepting 200 proposals', value: acceptMs, unit: 'ms', budget: 2000 },
    { name: 'upkeep: files changed by accepting and undoing all', value: same, unit: 'files', budget: 0 },
  ]
}

async function look(workspace: string): Promise<Proposal[]> {
  const request = {
    workspace,
    forbidden: [],
    scope: 'workspace',
    layout: defaultLayout,
    recalls: [],
    broken: [],
    privateRules: { roots: [], rules: [] },
    modelPath: builtinFile,
  } as const
  return scanNotes({ ...request, now: now.getTime() })
}

/** Measures the requests, tokens and recall of a first review of the whole memory. */
async function reviewTakes(workspace: string, { contradictions, superseded }: MadeMemory) {
  const request = {
    workspace,
    forbidden: [],
    scope: 'workspace',
    layout: defaultLayout,
    privateRules: { roots: [], rules: [] },
    modelPath: builtinFile,
  } as const
  const started = performance.now()
  const reviewInput = await prepareReviewInput(request)
  const ms = performance.now() - started
  const asked = new Set(
    reviewInput.pairs.map(([one, other]) =>
      pairOf(reviewInput.lines[one]?.text ?? '', reviewInput.lines[other]?.text ?? ''),
    ),
  )
  const planted = [...contradictions, ...superseded].map(([one, other]) => pairOf(one, other))
  const [conflicts = '', promote = ''] = ['conflicts', 'promote'].map((name) =>
    readFileSync(join(prompts, `${name}.md`), 'utf8'),
  )
  const fill = (text: string, values: Record<string, string>) =>
    text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')
  const filled = {
    conflicts: (values: { lines: string; pairs: string }) => fill(conflicts, values),
    promote: (values: { lines: string; memory: string }) => fill(promote, values),
  }
  const batches = batchesOf(reviewInput, filled, () => false, 200_000)
  return {
    ms,
    recall: planted.filter((pair) => asked.has(pair)).length / planted.length,
    requests: batches.length,
    tokens: batches.reduce((sum, { content }) => sum + estimateTokens(content), 0),
  }
}

const plain = (text: string) => text.replace(/^- /, '')
const pairOf = (one: string, other: string) => [plain(one), plain(other)].sort().join('\n')

function judgeDuplicates(proposals: readonly Proposal[], { duplicates }: MadeMemory, show: number) {
  const planted = new Set(duplicates.map(([one, other]) => pairOf(one, other)))
  const found = proposals
    .filter(({ rule }) => rule === 'duplicate' || rule === 'logged')
    .map(({ evidence: [one, other] }) => pairOf(one?.text ?? '', other?.text ?? ''))
  const isTwin = (pair: string) => new Set(pair.split('\n')).size === 1
  const right = found.filter((pair) => planted.has(pair) || isTwin(pair))
  tell(
    'no duplicate',
    found.filter((pair) => !right.includes(pair)),
    show,
  )
  tell(
    'missed',
    [...planted].filter((pair) => !found.includes(pair)),
    show,
  )
  return {
    recall: new Set(right.filter((pair) => planted.has(pair))).size / planted.size,
    precision: right.length / found.length,
  }
}

function judgeExpired(proposals: readonly Proposal[], { expired }: MadeMemory, show: number) {
  const planted = new Set(expired)
  const found = proposals.filter(({ rule }) => rule === 'expired').map(({ evidence: [one] }) => plain(one?.text ?? ''))
  const right = found.filter((text) => planted.has(text))
  tell(
    'not expired',
    found.filter((text) => !planted.has(text)),
    show,
  )
  tell(
    'not found',
    [...planted].filter((text) => !found.includes(text)),
    show,
  )
  return { recall: new Set(right).size / planted.size, precision: right.length / found.length }
}

function tell(title: string, texts: readonly string[], show: number): void {
  if (show === 0) return
  process.stdout.write(
    `${title}: ${texts.length}\n${texts
      .slice(0, show)
      .map((text) => `  ${text.replace('\n', '\n  | ')}\n`)
      .join('')}`,
  )
}

/** Accepts 200 suggestions, then all others, and undoes both. */
async function acceptAndUndo(root: string, folder: string, proposals: readonly Proposal[], { files }: MadeMemory) {
  const log = new ChangeLog(join(root, 'changes.sqlite'), folder)
  const workspace = new Workspace({ workspace: folder, forbidden: [], readable: () => [] }, { now: () => now, log })
  const upkeep = new ProposalService({
    folder: join(root, 'state'),
    workspace,
    log,
    now: () => now,
    privacyOf: (_path, text) => visibilityOf(text),
    scan: () => Promise.reject(new Error('nothing is looked for')),
    compare: () => Promise.reject(new Error('nothing is saved')),
    review: {
      model: () => {
        throw new Error('no model is asked')
      },
      budget: () => ({ usd: null, tokens: null }),
      prompts: () => Promise.reject(new Error('no model is asked')),
      reviewInput: () => Promise.reject(new Error('no model is asked')),
    },
    onDamaged: () => undefined,
  })
  await upkeep.add(proposals)
  const ids = (await upkeep.list()).open.map(({ id }) => id)
  const started = performance.now()
  const first = await upkeep.accept(ids.slice(0, 200))
  const acceptMs = performance.now() - started
  const second = await upkeep.accept(ids.slice(200))
  for (const { acceptance } of [second, first]) if (acceptance !== null) await upkeep.undo(acceptance)
  upkeep.close()
  workspace.close()
  log.close()
  const other = Object.entries(files).filter(([path, text]) => readFileSync(join(folder, path), 'utf8') !== text)
  return { acceptMs, same: other.length }
}

if (import.meta.main) {
  const { values: flags } = parseArgs({
    options: { show: { type: 'string', default: '0' }, seed: { type: 'string', default: '61' } },
  })
  const root = mkdtempSync(join(tmpdir(), 'commonplace-upkeep-'))
  try {
    for (const { name, value, unit } of await measureUpkeep(root, Number(flags.show), Number(flags.seed)))
      process.stdout.write(`${name.padEnd(64)} ${value.toFixed(2).padStart(9)} ${unit}\n`)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
