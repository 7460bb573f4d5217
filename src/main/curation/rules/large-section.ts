import { withoutMarks, withoutPrivateMarks } from '#shared/markdown/marks.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { sectionsOf } from '#shared/markdown/sections.ts'
import { createLayout, memoryFolderPath, toFileName } from '#workspace'
import { evidenceOf, type Finding } from '../suggestions/proposal.ts'
import type { Note } from './note-line.ts'

/** Maximum tokens of a section with its subsections; the rule proposes to move larger sections. */
export const maxSectionTokens = 1000

/** Proposes to move level-2 sections of MEMORY.md with more than `maxSectionTokens` to separate notes. */
export function findLargeSections(notes: readonly Note[]): Finding[] {
  const takenPaths = new Set(notes.map(({ path }) => path.toLowerCase()))
  return notes.filter(({ kind }) => kind === 'memory').flatMap((note) => largeSectionsOf(note, takenPaths))
}

function largeSectionsOf({ path, text }: Note, takenPaths: Set<string>): Finding[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const folder = memoryFolderPath(createLayout(path.slice(0, Math.max(0, path.lastIndexOf('/')))))
  return sectionsOf(lines)
    .filter(({ level }) => level === 2)
    .flatMap(({ title, from, to }): Finding[] => {
      const section = lines.slice(from, to)
      const body = section.slice(0, section.findLastIndex((line) => line.trim() !== '') + 1)
      const tokens = estimateTokens(body.join('\n'))
      if (tokens <= maxSectionTokens || title === '') return []
      const target = freePath(`${folder}/${toFileName(withoutMarks(title), 'section')}`, takenPaths)
      const heading = lines[from - 1] ?? ''
      return [
        {
          rule: 'large',
          evidence: [evidenceOf(path, from, heading)],
          files: [
            { path, edits: [{ line: from, before: [heading, ...body], after: [heading, '', `- [${target}]`] }] },
            { path: target, edits: [{ line: 1, before: [], after: [`# ${withoutPrivateMarks(title)}`, ...body, ''] }] },
          ],
          detail: { tokens, target },
        },
      ]
    })
}

function freePath(stem: string, takenPaths: Set<string>): string {
  let path = `${stem}.md`
  for (let number = 2; takenPaths.has(path.toLowerCase()); number += 1) path = `${stem} ${number}.md`
  takenPaths.add(path.toLowerCase())
  return path
}
