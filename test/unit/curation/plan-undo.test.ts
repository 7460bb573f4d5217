/** Undoing an acceptance after other edits: as much as possible, to the byte. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LineEdit, Suggestion } from '../../../src/shared/contract/index.ts'
import { planUndo } from '../../../src/main/curation/suggestions/accept.ts'
import { TextLines } from '../../../src/main/curation/suggestions/line-edits.ts'
import { suggestionOf } from '../../../src/main/curation/suggestions/suggestion.ts'
import { Differ } from '../../../src/main/platform/diff/differ.ts'

type AcceptedEdit = LineEdit & { readonly proposal: string; readonly path: string }

const edit = (suggestion: string, line: number, before: string[], after: string[], path = 'a.md'): AcceptedEdit => ({
  proposal: suggestion,
  path,
  line,
  before,
  after,
})

/** An acceptance of one or more files. */
function acceptanceOf(texts: Record<string, string | null>, edits: readonly AcceptedEdit[]) {
  const files = Object.entries(texts).map(([path, before]) => {
    const own = edits.filter((one) => one.path === path)
    const after = before === null ? own.flatMap(({ after }) => after).join('\n') : new TextLines(before).apply(own)
    return { path, before, after }
  })
  const suggestions = [...Map.groupBy(edits, ({ proposal: suggestion }) => suggestion)].map(([id, own]): Suggestion => {
    const byPath = Map.groupBy(own, ({ path }) => path)
    const proposed = [...byPath].map(([path, some]) => ({ path, edits: some }))
    const finding = { rule: 'duplicate' as const, evidence: [], files: proposed }
    const suggestion = suggestionOf(finding, { author: { kind: 'rule' }, at: 1 }, () => undefined)
    return { ...suggestion, id, state: 'accepted' }
  })
  return { files, proposals: suggestions }
}

type Made = ReturnType<typeof acceptanceOf>

/** @param now texts after later edits @param suggestions those that were not undone before */
async function back(made: Made, now: Record<string, string | null> = {}, suggestions = made.proposals) {
  const currentOf = (path: string, after: string) => (path in now ? (now[path] ?? null) : after)
  const files = new Map(
    made.files.map(({ path, before, after }) => [path, { before, current: currentOf(path, after) }]),
  )
  const { texts, stuck } = await planUndo(new Differ(), suggestions, files)
  return {
    texts: Object.fromEntries(texts.map(({ path, after }) => [path, after])),
    stuck: stuck.map(({ proposal: suggestion, line }) => [suggestion, line]),
  }
}

describe('undoing an acceptance', () => {
  const text = '- one\n- two\n- three\n- four\n- five\n'
  const strikesTwo = edit('p', 2, ['- two'], ['- ~~two~~'])
  const dropsFour = edit('q', 4, ['- four'], [])

  it('keeps changed lines and reports their place; undoes the rest', async () => {
    const made = acceptanceOf({ 'a.md': text }, [strikesTwo, dropsFour])
    const now = `- zero\n${made.files[0]?.after.replace('- ~~two~~', '- ~~two~~ indeed')}`
    const { texts, stuck } = await back(made, { 'a.md': now })
    expect(stuck).toEqual([['p', 3]])
    expect(texts['a.md']).toBe('- zero\n- one\n- ~~two~~ indeed\n- three\n- four\n- five\n')
    const left = made.proposals.filter(({ id }) => id === 'p')
    const later = { 'a.md': (texts['a.md'] ?? '').replace(' indeed', '') }
    expect((await back(made, later, left)).texts['a.md']).toBe(`- zero\n${text}`)
  })

  it('undoes a suggestion in all its files or in none', async () => {
    const moved = [edit('p', 2, ['- two'], []), edit('p', 1, ['- x'], ['- x', '- two'], 'b.md')]
    const made = acceptanceOf({ 'a.md': text, 'b.md': '- x\n' }, [...moved, dropsFour])
    const { texts, stuck } = await back(made, { 'b.md': '- x\n- two and more\n' })
    expect(stuck).toEqual([['p', 2]])
    expect(texts).toEqual({ 'a.md': '- one\n- three\n- four\n- five\n' })
  })

  it('removes a created note unless it was edited; reports a deleted one', async () => {
    const splits = [edit('p', 2, ['- two'], ['- [new.md]']), edit('p', 1, [], ['# New', ''], 'new.md')]
    const made = acceptanceOf({ 'a.md': text, 'new.md': null }, splits)
    expect(await back(made)).toMatchObject({ texts: { 'a.md': text, 'new.md': null }, stuck: [] })
    expect(await back(made, { 'new.md': '# New\nmine\n' })).toMatchObject({ texts: {}, stuck: [['p', 1]] })
    expect((await back(made, { 'new.md': null })).texts).toEqual({ 'a.md': text })
    expect(await back(made, { 'a.md': null })).toMatchObject({ texts: {}, stuck: [['p', null]] })
  })

  it('does not undo twice after a manual undo', async () => {
    const made = acceptanceOf({ 'a.md': text }, [strikesTwo, dropsFour])
    expect(await back(made, { 'a.md': text })).toMatchObject({ texts: {}, stuck: [] })
    expect((await back(made, { 'a.md': text.replace('- two', '- ~~two~~') })).texts['a.md']).toBe(text)
    // Neighbours too: one line was inserted where the other was removed.
    const beside = acceptanceOf({ 'a.md': text }, [
      edit('p', 2, ['- two'], ['- two', '- x']),
      edit('q', 3, ['- three'], []),
    ])
    expect(await back(beside, { 'a.md': `${text}more\n` })).toMatchObject({ texts: {}, stuck: [] })
    expect((await back(made, { 'a.md': (made.files[0]?.after ?? '').replace('~~two~~', 'two') })).texts['a.md']).toBe(
      text,
    )
  })

  it('after any acceptance and later edits an undo restores the old lines and keeps new ones', async () => {
    const place = fc.record({
      accepted: fc.constantFrom('no', 'no', 'drop', 'strike', 'add'),
      mine: fc.constantFrom('no', 'no', 'no', 'change', 'drop', 'add', 'spoil'),
      proposal: fc.nat(3),
    })
    const end = fc.constantFrom('\n', '\r\n')
    await fc.assert(
      fc.asyncProperty(
        fc.array(place, { minLength: 1, maxLength: 14 }),
        end,
        fc.boolean(),
        async (places, end, isEnded) => {
          const line = (at: number) => `- line ${at}`
          const acceptedAs = (at: number) =>
            ({ no: [line(at)], drop: [], strike: [`- ~~line ${at}~~`], add: [line(at), `- added ${at}`] })[
              places[at]?.accepted ?? 'no'
            ]
          const join = (lines: readonly string[]) =>
            lines
              .map((one) => one + end)
              .join('')
              .slice(0, isEnded ? undefined : -end.length)
          const edits = places.flatMap(({ accepted, proposal: suggestion }, at) =>
            accepted === 'no' ? [] : [edit(`p${suggestion}`, at + 1, [line(at)], acceptedAs(at))],
          )
          const before = join(places.map((_, at) => line(at)))
          const made = acceptanceOf({ 'a.md': before }, edits)
          const spoils = (at: number) => places[at]?.mine === 'spoil' && ['strike', 'add'].includes(places[at].accepted)
          /** Current text of a line, with its accepted edit undone or not. */
          const now = (at: number, isBack: boolean): string[] => {
            const own = isBack ? [line(at)] : acceptedAs(at)
            if (spoils(at)) return [...own.slice(0, -1), `${own.at(-1)} spoiled`]
            if (places[at]?.accepted !== 'no') return own
            const { mine } = places[at]
            if (mine === 'change') return [`${line(at)} changed`]
            return mine === 'drop' ? [] : mine === 'add' ? [line(at), `- mine ${at}`] : own
          }
          const current = join(places.flatMap((_, at) => now(at, false)))
          const { texts, stuck } = await back(made, { 'a.md': current })
          const kept = new Set(stuck.map(([suggestion]) => suggestion))
          for (const [at, { proposal: suggestion }] of places.entries())
            if (spoils(at)) expect(kept).toContain(`p${suggestion}`)
          if (places.every(({ mine }) => mine === 'no')) expect(kept.size).toBe(0)
          if (current === made.files[0]?.after) expect(texts['a.md'] ?? current).toBe(before)
          const isBack = ({ proposal: suggestion }: { proposal: number }) => !kept.has(`p${suggestion}`)
          const sorted = (text: string) => text.split(/\r?\n/).filter(Boolean).sort()
          const wanted = places.flatMap((place, at) => now(at, isBack(place)))
          expect(sorted(texts['a.md'] ?? current)).toEqual(sorted(wanted.join('\n')))
        },
      ),
      { numRuns: 500 },
    )
  })
})
