import { sourceMark, sourceName, withSourceMarks, type Source } from '#shared/markdown/provenance.ts'
import type { Clock } from '#platform'
import { evidenceOf, proposalOf, untrustedFinding, type Suggestions } from '#curation'
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
  readonly upkeep: Suggestions
}

export interface ProgramNote {
  readonly text: string
  readonly section: string | undefined
}

interface Remembered extends Pick<RememberedLines, 'path' | 'startLine' | 'endLine'> {
  /** Removes the note again; undefined if the line existed before. */
  readonly note?: RememberedLines['note']
  /** Id of the proposal in the inbox; null if the user rejected the same before. */
  readonly proposal?: string | null
}

/**
 * Saves a note from another program: in the daily log, or in a section of MEMORY.md if the program may write there.
 * Without that permission a proposal for MEMORY.md goes to the inbox.
 * @param by `name` for display; `mayKeep`: may write into MEMORY.md
 * @throws AppError `input_invalid` for a section title that is not one line
 */
export async function saveClientNote(
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

/**
 * Returns the place of a note after a lost answer; undefined if it is not saved. Adds the proposal if it is missing.
 * @param by name of the program, for display
 */
export async function findClientNote(
  { workspace, upkeep }: Memory,
  { text, section }: ProgramNote,
  by: string,
  now: Clock,
): Promise<Remembered | undefined> {
  const title = section === undefined ? undefined : sectionTitle(section)
  const at = now()
  const note = marked(text, by, at)
  const kept = title === undefined ? undefined : await workspace.findRememberedNote(note, at, title)
  if (kept) return kept
  const place = await workspace.findRememberedNote(note, at)
  if (!place || title === undefined) return place
  return { ...place, proposal: await propose({ workspace, upkeep }, { note, title, place, by, at }) }
}

function marked(text: string, name: string, at: Date): string {
  return withSourceMarks(text.trim(), sourceMark([{ kind: 'mcp', name }], localDate(at)))
}

interface ProposedNote {
  readonly note: string
  readonly title: string
  readonly place: Remembered
  readonly by: string
  readonly at: Date
}

async function propose(
  { workspace, upkeep }: Memory,
  { note, title, place, by, at }: ProposedNote,
): Promise<string | null> {
  const path = longTermFile(workspace.layout)
  const before = (await workspace.exists(path)) ? (await workspace.read(path)).text : undefined
  const after = addToSection(before ?? '', title, noteItem(note)).text
  const from = sourceName({ kind: 'mcp', name: by })
  const [said = ''] = note.split('\n')
  const found = {
    ...untrustedFinding({ path, before, after, from: [from] }),
    // Undoing the note also withdraws the proposal.
    evidence: [evidenceOf(place.path, place.startLine + 1, said)],
  }
  const known = before === undefined ? undefined : { text: before, hash: hashText(before) }
  const author = { kind: 'client' as const, name: by }
  return (await upkeep.propose(proposalOf(found, { author, at: at.getTime() }, () => known))) ?? null
}
