/** Undoing an acceptance after other edits: as much as possible, to the byte. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AcceptedEdit } from '../../../src/main/curation/suggestions/acceptances.ts'
import { compareTexts } from '../../../src/main/platform/diff/compare-lines.ts'
import { TextLines } from '../../../src/main/curation/suggestions/line-edits.ts'
import { withoutReverted, planRevert } from '../../../src/main/curation/suggestions/plan-revert.ts'

const edit = (proposal: string, line: number, before: string[], after: string[], path = 'a.md'): AcceptedEdit => ({
  proposal,
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
  return { id: 'x', at: 1, proposals: [...new Set(edits.map(({ proposal }) => proposal))], files, edits: [...edits] }
}

type Made = ReturnType<typeof acceptanceOf>

/** @param now texts after later edits */
function back(acceptance: Made, now: Record<string, string | null> = {}) {
  const since = new Map(
    acceptance.files.map(({ path, after }) => {
      const text = path in now ? (now[path] ?? null) : after
      return [path, { text, changes: text === null ? [] : compareTexts(after, text) }]
    }),
  )
  const { texts, stuck } = planRevert(acceptance, since)
  return { texts: Object.fromEntries(texts), stuck: stuck.map(({ proposal, line }) => [proposal, line]), all: stuck }
}

describe('undoing an acceptance', () => {
  const text = '- one\n- two\n- three\n- four\n- five\n'
  const strikesTwo = edit('p', 2, ['- two'], ['- ~~two~~'])
  const dropsFour = edit('q', 4, ['- four'], [])

  it('a neighbouring edit does not block an undo', () => {
    const made = acceptanceOf({ 'a.md': text }, [strikesTwo, dropsFour])
    const mine = (made.files[0]?.after ?? '').replace('- one', '- one more').replace('- three', '- three more')
    const { texts, stuck } = back(made, { 'a.md': mine.replace('- five', '- five more') })
    expect(stuck).toEqual([])
    expect(texts['a.md']).toBe('- one more\n- two\n- three more\n- four\n- five more\n')
  })

  it('keeps changed lines and reports their place; undoes the rest', () => {
    const made = acceptanceOf({ 'a.md': text }, [strikesTwo, dropsFour])
    const now = `- zero\n${made.files[0]?.after.replace('- ~~two~~', '- ~~two~~ indeed')}`
    const { texts, stuck, all } = back(made, { 'a.md': now })
    expect(stuck).toEqual([['p', 3]])
    expect(texts['a.md']).toBe('- zero\n- one\n- ~~two~~ indeed\n- three\n- four\n- five\n')
    const left = withoutReverted({ ...made }, all)
    expect(left).toMatchObject({
      proposals: ['p'],
      files: [{ before: text, after: text.replace('- two', '- ~~two~~') }],
    })
    expect(back(left, { 'a.md': (texts['a.md'] ?? '').replace(' indeed', '') }).texts['a.md']).toBe(`- zero\n${text}`)
  })

  it('undoes a suggestion in all its files or in none', () => {
    const moved = [edit('p', 2, ['- two'], []), edit('p', 1, ['- x'], ['- x', '- two'], 'b.md')]
    const made = acceptanceOf({ 'a.md': text, 'b.md': '- x\n' }, [...moved, dropsFour])
    const { texts, stuck } = back(made, { 'b.md': '- x\n- two and more\n' })
    expect(stuck).toEqual([['p', 2]])
    expect(texts).toEqual({ 'a.md': '- one\n- three\n- four\n- five\n' })
  })

  it('removes a created note unless it was edited; reports a deleted one', () => {
    const splits = [edit('p', 2, ['- two'], ['- [new.md]']), edit('p', 1, [], ['# New', ''], 'new.md')]
    const made = acceptanceOf({ 'a.md': text, 'new.md': null }, splits)
    expect(back(made)).toMatchObject({ texts: { 'a.md': text, 'new.md': null }, stuck: [] })
    expect(back(made, { 'new.md': '# New\nmine\n' })).toMatchObject({ texts: {}, stuck: [['p', 1]] })
    expect(back(made, { 'new.md': null }).texts).toEqual({ 'a.md': text })
    expect(back(made, { 'a.md': null })).toMatchObject({ texts: {}, stuck: [['p', null]] })
  })

  it('does not undo twice after a manual undo', () => {
    const made = acceptanceOf({ 'a.md': text }, [strikesTwo, dropsFour])
    expect(back(made, { 'a.md': text })).toMatchObject({ texts: {}, stuck: [] })
    expect(back(made, { 'a.md': text.replace('- two', '- ~~two~~') }).texts['a.md']).toBe(text)
    // Neighbours too: one line was inserted where the other was removed.
    const beside = acceptanceOf({ 'a.md': text }, [
      edit('p', 2, ['- two'], ['- two', '- x']),
      edit('q', 3, ['- three'], []),
    ])
    expect(back(beside, { 'a.md': `${text}more\n` })).toMatchObject({ texts: {}, stuck: [] })
    expect(back(made, { 'a.md': (made.files[0]?.after ?? '').replace('~~two~~', 'two') }).texts['a.md']).toBe(text)
  })

  it('undoes all or nothing if the edits cannot be separated', () => {
    const made = acceptanceOf({ 'a.md': text }, [strikesTwo, dropsFour])
    const torn = { ...made, edits: made.edits.map((one) => ({ ...one, line: one.line + 1 })) }
    expect(back(torn).texts['a.md']).toBe(text)
    expect(back(torn, { 'a.md': `${made.files[0]?.after}more\n` })).toMatchObject({
      texts: {},
      stuck: [
        ['p', 1],
        ['q', 1],
      ],
    })
  })

  it('after any acceptance and later edits an undo restores the old lines and keeps new ones', () => {
    const place = fc.record({
      accepted: fc.constantFrom('no', 'no', 'drop', 'strike', 'add'),
      mine: fc.constantFrom('no', 'no', 'no', 'change', 'drop', 'add', 'spoil'),
      proposal: fc.nat(3),
    })
    const end = fc.constantFrom('\n', '\r\n')
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 14 }), end, fc.boolean(), (places, end, isEnded) => {
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
        const edits = places.flatMap(({ accepted, proposal }, at) =>
          accepted === 'no' ? [] : [edit(`p${proposal}`, at + 1, [line(at)], acceptedAs(at))],
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
        const { texts, stuck, all } = back(made, { 'a.md': current })
        const kept = new Set(stuck.map(([proposal]) => proposal))
        for (const [at, { proposal }] of places.entries()) if (spoils(at)) expect(kept).toContain(`p${proposal}`)
        if (places.every(({ mine }) => mine === 'no')) expect(kept.size).toBe(0)
        if (current === made.files[0]?.after) expect(texts['a.md'] ?? current).toBe(before)
        const isBack = ({ proposal }: { proposal: number }) => !kept.has(`p${proposal}`)
        const sorted = (text: string) => text.split(/\r?\n/).filter(Boolean).sort()
        const wanted = places.flatMap((place, at) => now(at, isBack(place)))
        expect(sorted(texts['a.md'] ?? current)).toEqual(sorted(wanted.join('\n')))
        const left = withoutReverted(made, all)
        expect(new Set(left.proposals)).toEqual(kept)
      }),
      { numRuns: 2000 },
    )
  })
})
