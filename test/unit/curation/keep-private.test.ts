/** Accepting a suggestion removes no local mark, whether the note is local in part or in full. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LineEdit } from '../../../src/shared/contract/index.ts'
import { strikeThrough, supersededLine } from '../../../src/shared/markdown/superseded.ts'
import { visibilityOf } from '../../../src/shared/markdown/visibility.ts'
import { flagLine } from '../../../src/main/curation/suggestions/suggestion.ts'
import { type PrivacyOf, TextLines } from '../../../src/main/curation/suggestions/line-edits.ts'
import { planAcceptance } from '../../../src/main/curation/suggestions/accept.ts'
import {
  evidenceOf,
  suggestionOf,
  type Finding,
  type LoadedNote,
} from '../../../src/main/curation/suggestions/suggestion.ts'
import { findLargeSections } from '../../../src/main/curation/rules/note-rules.ts'
import { marksBy, resolveRules, rulesForFolder } from '../../../src/main/workspace/privacy/index.ts'
import { fileKind } from '../../../src/main/workspace/files/layout.ts'
import { rounds } from '../../support/thorough.ts'

const day = '2026-11-22'
const byMarks: PrivacyOf = (_path, text) => visibilityOf(text)

/** Files after the suggestions are accepted as one change. */
function accepted(files: Record<string, string>, found: readonly Finding[], privacyOf = byMarks) {
  const read = (path: string): LoadedNote | undefined =>
    path in files
      ? { text: files[path] ?? '', hash: files[path] ?? '', lines: new TextLines(files[path] ?? '') }
      : undefined
  const suggestions = found.map((one) => suggestionOf(one, { author: { kind: 'rule' }, at: 1 }, read, privacyOf))
  const paths = [...Object.keys(files), ...found.flatMap((one) => one.files.map(({ path }) => path))]
  const plan = planAcceptance(suggestions, new Map(paths.map((path) => [path, read(path)])), 1, privacyOf)
  const after = { ...files, ...Object.fromEntries(plan.files.map(({ path, after }) => [path, after])) }
  return { after, plan, proposals: suggestions }
}

const long = Array.from({ length: 400 }, (_, at) => `- we keep word number ${at} here`).join('\n')

function movedOut(text: string, privacyOf = byMarks) {
  const note = {
    path: 'MEMORY.md',
    kind: fileKind('MEMORY.md'),
    day: undefined,
    modifiedAt: 1,
    isRescued: false,
    text,
    hash: text,
  }
  return accepted({ 'MEMORY.md': text }, findLargeSections([note]), privacyOf)
}

describe('a section that becomes a new note', () => {
  it.each([
    ['the front matter', `---\nvisibility: local\n---\n# Memory\n\n## Long\n\n${long}\n`],
    ['a heading above it', `# Memory ^[local]\n\n## Long\n\n${long}\n`],
    ['its own heading', `# Memory\n\n## Long ^[local]\n\n${long}\n`],
  ])('is local if %s makes it local', (_what, text) => {
    const { after } = movedOut(text)
    expect(after['memory/Long.md']).toBe(`---\nvisibility: private\n---\n\n# Long\n\n${long}\n`)
    expect(after['MEMORY.md']).toContain('- [memory/Long.md]\n')
  })

  it('gets a mark if only a rule for MEMORY.md covers it; none if a rule covers the new path', () => {
    const text = `# Memory\n\n## Long\n\n${long}\n`
    const by = (local: string[]) => {
      const privateRules = rulesForFolder('/notes', resolveRules('/notes', local))
      return marksBy([{ prefix: '', privateRules }]).of
    }
    expect(movedOut(text, by(['MEMORY.md'])).after['memory/Long.md']).toMatch(/^---\nvisibility: private\n---\n/)
    expect(movedOut(text, by(['MEMORY.md', 'memory/'])).after['memory/Long.md']).toMatch(/^# Long\n/)
    expect(movedOut(text).after['memory/Long.md']).toMatch(/^# Long\n/)
  })

  it('keeps the marks of its lines, and its name contains none', () => {
    const { after } = movedOut(
      `# Memory\n\n## Long private ^[web: x.org, 2026-11-01]\n\n- a ^[local]\n  - b\n\n${long}\n`,
    )
    expect(Object.keys(after)).toEqual(['MEMORY.md', 'memory/Long private.md'])
    expect(after['memory/Long private.md']).toContain('- a ^[local]\n  - b\n')
    expect(visibilityOf(after['memory/Long private.md'] ?? '').isFullyPrivate).toBe(false)
  })
})

/** An edit of one line. */
const edit = (line: number, before: string, after: string[]): LineEdit => ({ line, before: [before], after })

describe('accepting a suggestion', () => {
  const fact = { 'a.md': '- Bo leads Atlas.\n', 'team.md': '## Team ^[local]\n\n- Bo leads Walrus.\n' }
  const superseded: Finding = {
    rule: 'supersedes',
    evidence: [evidenceOf('a.md', 1, '- Bo leads Atlas.'), evidenceOf('team.md', 3, '- Bo leads Walrus.')],
    files: [
      {
        path: 'a.md',
        edits: [
          edit(1, '- Bo leads Atlas.', [
            strikeThrough('- Bo leads Atlas.', {
              until: day,
              by: { path: 'team.md', line: 3, text: 'Bo leads Walrus.' },
            }),
          ]),
        ],
      },
    ],
  }

  it('a line that quotes a local one becomes local, and its reference still works', () => {
    const { after, proposals: suggestions } = accepted(fact, [superseded])
    const line = after['a.md']?.split('\n')[0] ?? ''
    expect(line).toBe(`- ~~Bo leads Atlas.~~ (until ${day}, now: [team.md:3] “Bo leads Walrus.”) ^[private]`)
    expect(supersededLine(line)?.by).toEqual({ path: 'team.md', line: 3, text: 'Bo leads Walrus.' })
    expect(supersededLine(strikeThrough(line, { until: '2027-01-01', by: undefined }))?.text).toBe('Bo leads Atlas.')
    expect(strikeThrough(line, { until: '2027-01-01', by: undefined })).toContain(') ^[private]')
    expect(suggestions[0]?.files[0]?.patch, 'the preview shows the mark').toContain(') ^[private]')
  })

  it('a mark added after the suggestion counts', () => {
    const files = { ...fact, 'team.md': '## Team\n\n- Bo leads Walrus.\n' }
    const read = (path: string) => ({
      text: files[path as 'a.md'],
      hash: '',
      lines: new TextLines(files[path as 'a.md']),
    })
    const suggestion = suggestionOf(superseded, { author: { kind: 'rule' }, at: 1 }, read)
    expect(suggestion.files[0]?.patch).not.toContain('private')
    const now = new Map(
      Object.entries(fact).map(([path, text]) => [path, { text, hash: 'b', lines: new TextLines(text) }]),
    )
    expect(planAcceptance([suggestion], now, 1, byMarks).files[0]?.after).toMatch(/ \^\[private\]\n$/)
  })

  it('a promoted local line is local in MEMORY.md', () => {
    const promote: Finding = {
      rule: 'promote',
      evidence: [evidenceOf('team.md', 3, '- Bo leads Walrus.')],
      files: [{ path: 'MEMORY.md', edits: [edit(1, '# Memory', ['# Memory', '', '- Bo leads Walrus.'])] }],
    }
    const { after } = accepted({ ...fact, 'MEMORY.md': '# Memory\n' }, [promote])
    expect(after['MEMORY.md']).toBe('# Memory\n\n- Bo leads Walrus. ^[private]\n')
  })

  const wrong = (text: string, line: number) => flagLine('a.md', text, line, 'wrong', day)

  it.each([
    ['- p\n- a ^[local]\n  - b\n', 2, '- p\n  - b ^[private]\n'],
    ['## A ^[local]\n\n- b\n\nc\n', 1, '\n- b ^[private]\n\nc ^[private]\n'],
    ['---\nvisibility: local\n---\n\na\n\nb\n', 1, '---\nvisibility: local\n---\n\n\nb\n'],
  ])('“wrong” for %j, line %d, leaves %j', (text, line, expected) => {
    expect(accepted({ 'a.md': text }, [wrong(text, line)]).after['a.md']).toBe(expected)
  })

  it('local text that stays is local after any acceptance', () => {
    const line = fc.constantFrom(
      '# a',
      '## b ^[local]',
      '### c',
      'd',
      'e ^[local]',
      '- f',
      '  - g ^[local]',
      '    h',
      '```',
      '',
      '---',
      '> k ^[local]',
    )
    const note = fc
      .array(line, { minLength: 1, maxLength: 12 })
      .map((lines) => lines.map((one, at) => one.replace(/[a-k](?= |$)/, `w${at}`)))
      .map((lines) => ['# top', ...lines])
    const what = fc.record({
      kind: fc.constantFrom('wrong', 'outdated', 'supersedes', 'move'),
      from: fc.nat(12),
      to: fc.nat(12),
    })
    fc.assert(
      fc.property(note, note, fc.array(what, { minLength: 1, maxLength: 4 }), (lines, others, whats) => {
        const files = {
          'a.md': lines.join('\n'),
          'b.md': others.map((one) => one.replace(/w(\d+)/, 'v$1')).join('\n'),
        }
        const found = whats.flatMap(({ kind, from, to }): Finding[] => {
          const [raw, other] = [lines[from], files['b.md'].split('\n')[to]]
          if (raw === undefined || raw.trim() === '' || other === undefined || other.trim() === '') return []
          if (kind === 'wrong' || kind === 'outdated') return [flagLine('a.md', files['a.md'], from + 1, kind, day)]
          const evidence = [evidenceOf('a.md', from + 1, raw), evidenceOf('b.md', to + 1, other)]
          if (kind === 'move')
            return [
              {
                rule: 'duplicate',
                evidence,
                files: [
                  { path: 'a.md', edits: [edit(from + 1, raw, [])] },
                  { path: 'b.md', edits: [edit(to + 1, other, [other, '', raw])] },
                ],
              },
            ]
          const by = { path: 'b.md', line: to + 1, text: other.replace(/^[\W]*/, '') }
          return [
            {
              rule: 'supersedes',
              evidence,
              files: [{ path: 'a.md', edits: [edit(from + 1, raw, [strikeThrough(raw, { until: day, by })])] }],
            },
          ]
        })
        const { after, plan } = accepted(files, found)
        const local = new Set(Object.values(files).flatMap(privateWords))
        for (const text of Object.values(after)) {
          const still = privateWords(text)
          for (const word of text.match(/\b[vw]\d+\b/g) ?? []) if (local.has(word)) expect(still).toContain(word)
        }
        expect(plan.skipped.length + plan.accepted.length + plan.withdrawn.length).toBe(found.length)
      }),
      { numRuns: rounds(400, 2000) },
    )
  })
})

/** Words of local lines. */
function privateWords(text: string): string[] {
  const { isFullyPrivate, privateLines } = visibilityOf(text)
  return text
    .split('\n')
    .flatMap((one, at) => (isFullyPrivate || privateLines.has(at) ? (one.match(/\b[vw]\d+\b/g) ?? []) : []))
}
