import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openAppOn, prepareFolders } from '../../support/app.ts'
import { writeFiles } from '../../support/folder.ts'

/** A Wednesday at noon, local time. */
const now = () => new Date(2026, 10, 18, 12)

const files = {
  'memory/2026-11-10.md': '# 2026-11-10\n\n## 09:00 - Walrus\nThe walrus was weighed: 900 kilograms of walrus.\n',
  'memory/2026-11-17.md':
    '# 2026-11-17\n\n## 18:20 - Dinner\nPasta with Giulia and Tom.\n\n## 20:00 - Film\nSaw a film about lighthouses.\n',
  'memory/2024-05-12.md': '# 2024-05-12\n\n## 10:00 - Walrus\nThe walrus moved into the harbour.\n',
  'projects/zoo.md': '# Zoo\n\nThe walrus enclosure is a draft by Anna.\n',
  'MEMORY.md':
    '# Long-term memory\n\n## Decisions\n- 2024-05-20: The walrus gets herring, not squid\n- The staging server listens on port 8443 since January\n',
}

function transcript(day: string, ...said: readonly (readonly [role: 'user' | 'assistant', text: string])[]): string {
  const at = (index: number) => `${day}T12:00:${String(index).padStart(2, '0')}.000Z`
  const lines: object[] = [{ type: 'session', id: day, timestamp: at(0), cwd: '/' }]
  for (const [index, [role, content]] of said.entries())
    lines.push({
      type: 'message',
      id: `m${index}`,
      parentId: index === 0 ? null : `m${index - 1}`,
      timestamp: at(index),
      message: { role, content: [{ type: 'text', text: content }], timestamp: Date.parse(at(index)) },
    })
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

async function openMemory(sessions: Readonly<Record<string, string>> = {}) {
  const { home } = await prepareFolders({ files })
  await writeFiles(join(home, 'agents/main/sessions'), sessions)
  const { app } = await openAppOn(home, { now, watch: false })
  const { memory, workspace } = await app.agents.get('main')
  await memory.settle(10_000)
  const found = async (query: string, without?: string[]) =>
    (await memory.search(query, without ? { without: without } : {})).results.map(({ path }) => path)
  return { memory, workspace, found }
}

describe('notes and transcripts that repeat them', () => {
  it('ranks the note with the answer above a chat with the same question', async () => {
    const question = 'Which port does the staging server listen on?'
    const { memory } = await openMemory({
      'asked.jsonl': transcript('2026-11-12', ['user', question], ['assistant', 'I have no note about that.']),
      'again.jsonl': transcript('2026-11-13', ['user', `${question} Thanks!`], ['assistant', 'Let me see.']),
    })
    const { results } = await memory.search(question)
    expect(results.map(({ path }) => path)).toEqual(['MEMORY.md'])
    const { why } = await memory.explain(question, {}, { path: 'sessions/asked.jsonl', line: 2 })
    expect(why?.reason).toBe('notIndexed')
  })

  it('finds facts that are only in a transcript, also by date', async () => {
    const { found } = await openMemory({
      'said.jsonl': transcript('2026-11-12', ['user', 'My boat is called Persephone.'], ['assistant', 'A fine name.']),
    })
    expect((await found('what is my boat called'))[0]).toBe('sessions/said.jsonl')
    expect((await found('boat Persephone in:2026-11-12'))[0]).toBe('sessions/said.jsonl')
    expect(await found('boat Persephone source:notes')).toEqual([])
    expect(await found('boat Persephone source:chats on:2026-11-13')).toEqual([])
  })
})
