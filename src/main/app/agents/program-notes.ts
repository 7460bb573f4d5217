import { sourceMark, sourceName, withSourceMarks, type Source } from '#shared/markdown/provenance.ts'
import type { Clock } from '#platform'
import { evidenceOf, proposalOf, outsideFound, type Upkeep } from '#curation'
import {
  addToSection,
  noteItem,
  sectionTitle,
  hashText,
  localDate,
  longTermFile,
  type RememberedLines,
  type Workspace,
} from '#workspace'

interface Memory {
  readonly workspace: Workspace
  readonly upkeep: Upkeep
}

export interface ProgramNote {
  readonly text: string
  readonly section: string | undefined
}

interface Remembered extends Pick<RememberedLines, 'path' | 'startLine' | 'endLine'> {
  /** What it takes to take the note out again; undefined where it stood there already. */
  readonly note?: RememberedLines['note']
  /** What waits in the inbox; null where the user refused the same before. */
  readonly proposal?: string | null
}

/**
 * @param by the program, as it is shown @param mayKeep whether it may write into MEMORY.md
 * @throws AppError `input_invalid` for a section that has no name of one line
 */
export async function rememberFor(
  { workspace, upkeep }: Memory,
  { text, section }: ProgramNote,
  by: { readonly name: string; readonly mayKeep: boolean },
  now: Clock,
): Promise<Remembered> {
  const title = section === undefined ? undefined : sectionTitle(section)
  const at = now()
  const source: Source = { kind: 'mcp', name: by.name }
  const note = marked(text, by.name, at)
  const origin = { cause: 'client' as const, client: by.name, sources: [sourceName(source)] }
  if (title !== undefined && by.mayKeep) return workspace.rememberIn(title, note, origin)
  const written = await workspace.remember(note, at, origin)
  if (title === undefined) return written
  return {
    ...written,
    proposal: await propose({ workspace, upkeep }, { note, title, place: written, by: by.name, at }),
  }
}

/** Where it stands, for one who asked for it and got no answer; what is to wait for it waits. */
export async function findRememberedFor(
  { workspace, upkeep }: Memory,
  { text, section }: ProgramNote,
  by: string,
  now: Clock,
): Promise<Remembered | undefined> {
  const title = section === undefined ? undefined : sectionTitle(section)
  const at = now()
  const note = marked(text, by, at)
  const kept = title === undefined ? undefined : await workspace.findRemembered(note, at, title)
  if (kept) return kept
  const place = await workspace.findRemembered(note, at)
  if (!place || title === undefined) return place
  return { ...place, proposal: await propose({ workspace, upkeep }, { note, title, place, by, at }) }
}

function marked(text: string, name: string, at: Date): string {
  return withSourceMarks(text.trim(), sourceMark([{ kind: 'mcp', name }], localDate(at)))
}

interface Wanted {
  readonly note: string
  readonly title: string
  readonly place: Remembered
  readonly by: string
  readonly at: Date
}

async function propose({ workspace, upkeep }: Memory, { note, title, place, by, at }: Wanted): Promise<string | null> {
  const path = longTermFile(workspace.layout)
  const before = (await workspace.exists(path)) ? (await workspace.read(path)).text : undefined
  const after = addToSection(before ?? '', title, noteItem(note)).text
  const from = sourceName({ kind: 'mcp', name: by })
  const [said = ''] = note.split('\n')
  const found = {
    ...outsideFound({ path, before, after, from: [from] }),
    // When the note is taken back, so is this.
    evidence: [evidenceOf(place.path, place.startLine + 1, said)],
  }
  const known = before === undefined ? undefined : { text: before, hash: hashText(before) }
  const author = { kind: 'client' as const, name: by }
  return (await upkeep.propose(proposalOf(found, { author, at: at.getTime() }, () => known))) ?? null
}
