import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Transcript } from '../../../src/main/agent/sessions/transcript.ts'
import type { ToolDetails } from '../../../src/shared/chat/message-schemas.ts'
import { temporaryFolder } from '../../support/folder.ts'

const change = { path: 'MEMORY.md', patch: '@@', added: 2, removed: 0, startLine: 2 }
const recall = {
  query: 'plans',
  results: [
    {
      path: 'MEMORY.md',
      startLine: 3,
      endLine: 3,
      heading: '',
      score: 0.5,
      snippet: 'a plan',
      source: 'memory' as const,
    },
  ],
  candidates: 3,
  provider: 'none',
  model: '',
  stale: false,
  minScore: 0.25,
  weights: null,
  notice: null,
}
const foreign = (value: unknown): ToolDetails => ({ kind: 'foreign', value })

const cases: readonly [what: string, stored: unknown, read: ToolDetails][] = [
  ['a change', { kind: 'change', change }, { kind: 'change', change }],
  ['a recall', { kind: 'recall', recall }, { kind: 'recall', recall }],
  ['what another program left', { diff: '+1', firstChangedLine: 3 }, foreign({ diff: '+1', firstChangedLine: 3 })],
  ['something that only looks like ours', { kind: 'recall', recall: {} }, foreign({ kind: 'recall', recall: {} })],
]

describe('stored tool details', () => {
  it.each(cases)('copies %s to another transcript unchanged', async (_what, stored, read) => {
    const folder = await temporaryFolder()
    const timestamp = '2026-01-20T10:00:00.000Z'
    const message = { role: 'toolResult', toolCallId: 'c', toolName: 't', content: [], isError: false, timestamp: 1 }
    const lines = [
      { type: 'session', version: 3, id: 's', timestamp },
      { type: 'message', id: 'm', parentId: null, timestamp, message: { ...message, details: stored } },
    ]
    const file = join(folder, 'one.jsonl')
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const one = await Transcript.open(file)
    expect(one.messages()).toEqual([{ id: 'm', message: { ...message, details: read } }])
    const other = join(folder, 'other.jsonl')
    await Transcript.create(other, folder, new Date(), { file, entries: one.branch() })
    const [, copied = ''] = (await readFile(other, 'utf8')).split('\n')
    const { details } = JSON.parse(copied).message
    expect(details).toEqual(read.kind === 'foreign' ? stored : read)
  })
})
