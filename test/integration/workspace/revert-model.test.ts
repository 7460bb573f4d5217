/** Random change sets over random texts, then random reverts: the texts equal those of a model. */
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ChangeLog } from '../../../src/main/workspace/changes/change-log.ts'
import { Workspace } from '../../../src/main/workspace/files/workspace.ts'
import { folderWith } from '../../support/folder.ts'
import { rounds, seededRandom } from '../../support/thorough.ts'

const lineCount = 12
const stepCount = 40

interface NoteModel {
  path: string
  readonly lines: string[]
}

interface LineChange {
  readonly note: NoteModel
  readonly line: number
  readonly before: string
  readonly after: string
}

describe('reverts of random changes', () => {
  it('give the texts of a model', async () => {
    const random = seededRandom()
    const pick = (count: number) => Math.floor(random() * count)
    let [serial, conflicts, reverts] = [0, 0, 0]
    const newLine = () => `line ${(serial += 1)} ${'word '.repeat(pick(5))}`.trim()
    for (let round = 0; round < rounds(8, 200); round += 1) {
      const notes = ['a.md', 'b.md', 'c.md'].map((path): NoteModel => ({
        path,
        lines: Array.from({ length: lineCount }, newLine),
      }))
      const textOf = ({ lines }: NoteModel) => `${lines.join('\n')}\n`
      const folder = await folderWith(Object.fromEntries(notes.map((note) => [`notes/${note.path}`, textOf(note)])))
      const log = new ChangeLog(join(folder, 'log.sqlite'), join(folder, 'notes'))
      const workspace = new Workspace({ workspace: join(folder, 'notes'), forbidden: [] }, { log })
      onTestFinished(() => log.close())
      const sets: { readonly change: number; readonly lines: readonly LineChange[] }[] = []

      const store = (change: number | undefined, lines: readonly LineChange[]) => {
        if (change !== undefined) sets.push({ change, lines })
      }
      const edit = async () => {
        // Lines of one parity are never adjacent, so that each is a separate change.
        const parity = pick(2)
        const lines = notes.slice(0, 1 + pick(3)).flatMap((note) =>
          Array.from({ length: lineCount }, (_, line) => line)
            .filter((line) => line % 2 === parity && random() < 0.3)
            .map((line): LineChange => ({ note, line, before: note.lines[line] ?? '', after: newLine() })),
        )
        const before = new Map(notes.map((note) => [note, textOf(note)]))
        for (const { note, line, after } of lines) note.lines[line] = after
        const changed = notes.filter((note) => textOf(note) !== before.get(note))
        const texts = changed.map((note) => ({ path: note.path, before: before.get(note) ?? '', after: textOf(note) }))
        if (texts.length > 0) store((await workspace.runTransaction({}, texts, { cause: 'agent' })).change, lines)
      }
      const move = async () => {
        const note = notes[pick(notes.length)]
        if (!note) return
        const to = `sub/${(serial += 1)}.md`
        await workspace.runTransaction({ move: { from: note.path, to: to } }, [], { cause: 'user' })
        note.path = to
      }
      const revert = async () => {
        const set = sets[pick(sets.length)]
        if (!set) return
        reverts += 1
        const files = new Set(set.lines.map(({ note }) => note))
        const reverted: LineChange[] = []
        const inConflict: NoteModel[] = []
        for (const note of files) {
          const lines = set.lines.filter((change) => change.note === note)
          const isEdited = lines.some(({ line, before, after }) => ![before, after].includes(note.lines[line] ?? ''))
          if (isEdited) inConflict.push(note)
          else reverted.push(...lines.filter(({ line, after }) => note.lines[line] === after))
        }
        const undo = workspace.revert({ change: set.change }, { cause: 'user' })
        conflicts += inConflict.length
        if (files.size === 1 && inConflict.length === 1) {
          await expect(undo).rejects.toMatchObject({ code: 'undo_conflict' })
          return
        }
        const { change, left } = await undo
        expect(left.map(({ path }) => path).sort()).toEqual(inConflict.map(({ path }) => path).sort())
        for (const { note, line, before } of reverted) note.lines[line] = before
        store(
          change,
          reverted.map(({ note, line, before, after }) => ({ note, line, before: after, after: before })),
        )
      }

      for (let step = 0; step < stepCount; step += 1) {
        const kind = random()
        if (kind < 0.5) await edit()
        else if (kind < 0.6) await move()
        else await revert()
        for (const note of notes) expect((await workspace.read(note.path)).text).toBe(textOf(note))
      }
    }
    expect(reverts).toBeGreaterThan(50)
    expect(conflicts).toBeGreaterThan(5)
  }, 300_000)
})
