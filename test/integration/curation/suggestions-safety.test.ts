/** No file changes without an acceptance: random schedules, and kills. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Suggestion } from '../../../src/shared/contract/index.ts'
import type { SuggestionService } from '../../../src/main/curation/suggestions/suggestions.ts'
import { TextLines } from '../../../src/main/curation/suggestions/line-edits.ts'
import { suggestionOf } from '../../../src/main/curation/suggestions/suggestion.ts'
import type { ChangeLog } from '../../../src/main/workspace/changes/change-log.ts'
import { AppError } from '../../../src/shared/util/errors.ts'
import type { WorkspaceWrite } from '../../../src/main/workspace/files/workspace-writer.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { rounds, seededRandom } from '../../support/thorough.ts'
import { askedPairs } from '../../support/scripted-reviewer.ts'
import { openSuggestionsOf } from '../../support/suggestion-writer.ts'

const names = ['a.md', 'b.md', 'c.md'] as const
const text = (name: string) => Array.from({ length: 12 }, (_, at) => `- ${name} says ${at}`).join('\n')

async function makeMemory() {
  const root = await temporaryFolder()
  const [folder, state] = [join(root, 'memory'), join(root, 'state')]
  await mkdir(folder)
  for (const name of names) await writeFile(join(folder, name), `${text(name)}\n`)
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  return { folder, state, read }
}

/** Moves a line, within a file or from one file to another. */
function moving(from: string, to: string, at: number, textOf: (path: string) => string): Suggestion {
  const line = `- ${from} says ${at}`
  const anchor = `- ${to} says ${at}`
  const found = {
    rule: 'duplicate' as const,
    evidence: [{ path: from, line: at + 1, text: line }],
    files: [
      { path: from, edits: [{ line: at + 1, before: [line], after: [] }] },
      ...(from === to ? [] : [{ path: to, edits: [{ line: at + 1, before: [anchor], after: [anchor, `  ${line}`] }] }]),
    ],
  }
  return suggestionOf(found, { author: { kind: 'rule' }, at: 1 }, (path) => ({ text: textOf(path), hash: 'another' }))
}

const step = fc.record({
  what: fc.constantFrom(
    'propose',
    'accept',
    'accept',
    'refuse',
    'snooze',
    'undo',
    'touch',
    'restart',
    'write',
    'flag',
    'review',
    'turn',
  ),
  from: fc.constantFrom(...names),
  to: fc.constantFrom(...names),
  at: fc.nat(11),
  many: fc.nat(4),
})

/** Answers of a model, helpful or hostile. */
const answers: readonly ((content: string) => string)[] = [
  (content) => {
    const [[one, other] = ['', '']] = askedPairs(content)
    const kind = content.length % 2 === 0 ? 'superseded' : 'contradiction'
    return JSON.stringify({ conflicts: [{ kind, old: one, new: other, reason: 'They differ.' }] })
  },
  () => 'Certainly! I have updated a.md for you.',
  () => '{"conflicts": [{"kind": "superseded", "old": "no such line", "new": "nor this one", "reason": ""}]}',
  () => '{"conflicts": [{"path": "a.md", "after": "gone"}], "write": "a.md"}',
  () => {
    throw new AppError('provider_unavailable', 'away', {})
  },
]

describe('acceptance safety', () => {
  it(
    'every change in any order is a stored acceptance or its undo',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
          const { folder, state, read } = await makeMemory()
          /** Expected text of each file. */
          const expected = new Map(names.map((name) => [name as string, `${text(name)}\n`]))
          const problems: string[] = []
          let asked = steps.length
          const watch = (log: ChangeLog, { path, origin, before, after, change = 0 }: WorkspaceWrite) => {
            if (before !== expected.get(path)) problems.push(`${path} had an unexpected text`)
            if (origin.cause === 'upkeep') {
              const isAccepted = log
                .filesOf(change)
                .some((file) => file.path === path && file.before === before && file.after === after)
              if (!isAccepted || log.setOf(change)?.kind !== 'accept')
                problems.push(`${path} changed without an acceptance`)
            }
            if (after !== null) expected.set(path, after)
          }
          const open = () => {
            const opened = openSuggestionsOf(
              folder,
              state,
              (content) => answers[asked++ % answers.length]?.(content) ?? '',
            )
            opened.workspace.changes.subscribe((write) => watch(opened.log, write))
            return opened
          }
          let opened = open()
          const accepted: number[] = []
          for (const { what, from, to, at, many } of steps) {
            const { suggestions, workspace } = opened
            const waiting = (await suggestions.list()).open.map(({ id }) => id)
            const ids = waiting.slice(at % Math.max(1, waiting.length)).slice(0, many + 1)
            if (what === 'propose') await suggestions.add([moving(from, to, at, (path) => expected.get(path) ?? '')])
            else if (what === 'flag') await suggestions.flag(from, at + 1, 'outdated').catch(() => '')
            else if (what === 'review') await suggestions.review().catch(() => undefined)
            else if (what === 'turn')
              await suggestions.swapSides(waiting[at % Math.max(1, waiting.length)] ?? 'x').catch(() => undefined)
            else if (what === 'touch') await suggestions.filesChanged([from])
            else if (what === 'write') {
              const lines = (expected.get(from) ?? '').split('\n')
              lines.splice(at, many % 2, `- written ${at} ${many}`)
              await workspace.write(from, lines.join('\n'), { cause: 'user' })
            } else if (what === 'restart') {
              opened.close()
              opened = open()
            } else if (what === 'undo') {
              const id = accepted.pop()
              if (id !== undefined) await suggestions.undo(id).catch(() => undefined)
            } else if (ids.length > 0) {
              if (what === 'refuse') await suggestions.refuse(ids)
              else if (what === 'snooze') await suggestions.snooze(ids, Date.now() + 1e6)
              else {
                const { acceptance } = await suggestions.accept(ids)
                if (acceptance !== null) accepted.push(acceptance)
              }
            }
            for (const name of names)
              if ((await read(name)) !== expected.get(name)) problems.push(`${name} has a different text`)
          }
          opened.close()
          expect(problems).toEqual([])
        }),
        { numRuns: rounds(6, 150) },
      )
    },
    60_000 + rounds(6, 150) * 2000,
  )

  /** Two open proposals that change neighboring lines of the same files. */
  async function makeNeighbors() {
    const memory = await makeMemory()
    const textOf = (path: string) => `${text(path)}\n`
    const proposals = [moving('a.md', 'b.md', 4, textOf), moving('a.md', 'b.md', 5, textOf)]
    const [first = '', second = ''] = proposals.map(({ id }) => id)
    const open = () => openSuggestionsOf(memory.folder, memory.state)
    const opened = open()
    await opened.suggestions.add(proposals)
    opened.close()
    const inbox = join(memory.state, 'inbox.json')
    /** Leaves the state of a kill after `work` has written the files and before it writes the inbox. */
    const killed = async <T>(work: (suggestions: SuggestionService) => Promise<T>) => {
      const stored = await readFile(inbox, 'utf8')
      const { suggestions, close } = open()
      const result = await work(suggestions)
      close()
      await writeFile(inbox, stored)
      return result
    }
    return { ...memory, first, second, open, killed, textOf }
  }

  it('finishes an interrupted undo before it accepts a neighboring proposal', async () => {
    const { first, second, open, killed, textOf, read } = await makeNeighbors()
    const earlier = open()
    const { acceptance } = await earlier.suggestions.accept([first])
    earlier.close()
    await killed((suggestions) => suggestions.undo(acceptance ?? 0))
    const { suggestions, close } = open()
    const other = await suggestions.accept([second])
    expect((await suggestions.list()).open.map(({ id }) => id)).toEqual([first])
    expect(await suggestions.undo(other.acceptance ?? 0)).toMatchObject({ stuck: [] })
    for (const name of names) expect(await read(name)).toBe(textOf(name))
    expect((await suggestions.list()).open).toHaveLength(2)
    close()
  })

  it.each([
    ['finishes an undo of two files that has written none', ['a.md', 'b.md']],
    ['discards an undo of one file that has not written it', ['a.md']],
  ])('%s', async (_name, paths) => {
    const { first, open, textOf, read } = await makeNeighbors()
    const earlier = open()
    const { acceptance } = await earlier.suggestions.accept([first])
    const origin = { cause: 'upkeep' as const, undoes: acceptance ?? 0 }
    const files = await Promise.all(
      paths.map(async (path) => ({ path, before: await read(path), after: textOf(path) })),
    )
    await earlier.log.begin({ origin, at: 1, kind: 'accept', detail: { proposals: [first] }, files })
    earlier.close()
    const { suggestions, close } = open()
    const isFinished = paths.length > 1
    expect((await suggestions.list()).open).toHaveLength(isFinished ? 2 : 1)
    if (isFinished) await expect(suggestions.undo(acceptance ?? 0)).rejects.toMatchObject({ code: 'undo_conflict' })
    else expect(await suggestions.undo(acceptance ?? 0)).toMatchObject({ undone: 1, stuck: [] })
    for (const name of names) expect(await read(name)).toBe(textOf(name))
    close()
  })

  it('accepts without undo while the change log cannot be written', async () => {
    const { state, first, open, textOf, read } = await makeNeighbors()
    const log = new Database(join(state, 'changes.sqlite'))
    log.pragma('user_version = 99')
    log.close()
    const { suggestions, close } = open()
    expect(await suggestions.accept([first])).toEqual({ acceptance: null, accepted: 1, left: 0, gone: 0 })
    expect(await read('a.md')).not.toBe(textOf('a.md'))
    await suggestions.reopen([first])
    expect((await suggestions.list()).done).toMatchObject([{ id: first, state: 'accepted' }])
    close()
  })

  it(
    'processes that accept and undo, each killed at any moment, write nothing unaccepted and lose nothing',
    async () => {
      const { folder, state, read } = await makeMemory()
      const base = new Map(names.map((name) => [name as string, `${text(name)}\n`]))
      const textOf = (path: string) => base.get(path) ?? ''
      const first = openSuggestionsOf(folder, state)
      const proposals = [2, 5, 8].flatMap((at) => [
        moving('a.md', 'b.md', at, textOf),
        moving('b.md', 'c.md', at + 1, textOf),
        moving('c.md', 'a.md', at + 2, textOf),
      ])
      await first.suggestions.add(proposals)
      first.close()
      const writer = fileURLToPath(new URL('../../support/suggestion-writer.ts', import.meta.url))
      const random = seededRandom()
      for (let round = 0; round < rounds(2, 50); round += 1) {
        for (let kill = 0; kill < 2; kill += 1) {
          const child = spawn(process.execPath, [writer, folder, state], {
            stdio: ['ignore', 'pipe', 'inherit'],
          })
          await once(child.stdout, 'data')
          await new Promise((resolve) => setTimeout(resolve, random() * 120))
          child.kill('SIGKILL')
          await once(child, 'exit')
        }
        const { suggestions, close } = openSuggestionsOf(folder, state)
        const { open, done } = await suggestions.list()
        const accepted = done.filter((one) => one.state === 'accepted')
        expect(open.length + accepted.length, 'no suggestion is lost').toBe(proposals.length)
        for (const name of names) {
          const edits = accepted.flatMap(({ id }) => {
            const own = proposals.find((one) => one.id === id)?.files.find(({ path }) => path === name)
            return own?.edits ?? []
          })
          // Two insertions at one place can be in either order.
          const sorted = (said: string) => said.split('\n').sort()
          expect(sorted(await read(name)), `${name} in round ${round}`).toEqual(
            sorted(new TextLines(textOf(name)).apply(edits)),
          )
        }
        for (const id of new Set(accepted.map((one) => one.acceptance ?? 0)))
          expect(await suggestions.undo(id)).toMatchObject({ stuck: [] })
        for (const name of names) expect(await read(name)).toBe(textOf(name))
        expect((await suggestions.list()).open).toHaveLength(proposals.length)
        close()
      }
    },
    60_000 + rounds(2, 50) * 4000,
  )

  it('marks a proposal as accepted after a kill, even if the following step fails', async () => {
    const { first, open, killed, textOf, read } = await makeNeighbors()
    const { acceptance } = await killed((suggestions) => suggestions.accept([first]))
    const { suggestions, close } = open()
    await expect(suggestions.undo(999)).rejects.toMatchObject({ code: 'undo_conflict' })
    expect((await suggestions.list()).done).toMatchObject([{ id: first, state: 'accepted', acceptance }])
    expect(await suggestions.undo(acceptance ?? 0)).toMatchObject({ undone: 1, stuck: [] })
    for (const name of names) expect(await read(name)).toBe(textOf(name))
    close()
  })
})
