import { sourceMark, sourceName, withSourceMarks, type Source } from '#shared/markdown/provenance.ts'
import type { Clock } from '#platform'
import { evidenceOf, proposalOf, untrustedFinding, type ProposalService } from '#curation'
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

interface NoteServices {
  readonly workspace: Workspace
  readonly upkeep: ProposalService
}

export interface ProgramNote {
  readonly text: string
  readonly section: string | undefined
}

interface SavedNote extends Pick<RememberedLines, 'path' | 'startLine' | 'endLine'> {
  /** Data to remove the note again; undefined if the line existed before. */
  readonly note?: RememberedLines['note']
  /** Id of the proposal in the inbox; null if the user already rejected the same proposal. */
  readonly proposal?: string | null
}

/**
 * Saves a note from another program: in the daily log, or in a section of MEMORY.md if the program may write there.
 * Without that permission a proposal for MEMORY.md goes to the inbox.
 * @param author `name` for display; `mayKeep`: may write into MEMORY.md
 * @throws AppError `input_invalid` for a section title that is not one line
 */
export async function saveClientNote(
  { workspace, upkeep }: NoteServices,
  { text, section }: ProgramNote,
  author: { readonly name: string; readonly mayKeep: boolean },
  now: Clock,
): Promise<SavedNote> {
  const title = section === undefined ? undefined : sectionTitle(section)
  const date = now()
  const source: Source = { kind: 'mcp', name: author.name }
  const note = withClientMark(text, author.name, date)
  const origin = { cause: 'client' as const, client: author.name, sources: [sourceName(source)] }
  if (title !== undefined && author.mayKeep) return workspace.rememberIn(title, note, origin)
  const dailyEntry = await workspace.remember(note, date, origin)
  if (title === undefined) return dailyEntry
  return {
    ...dailyEntry,
    proposal: await propose({ workspace, upkeep }, { note, title, entry: dailyEntry, clientName: author.name, date }),
  }
}

/**
 * Finds a note whose confirmation was lost; undefined if it is not saved. Adds the proposal if it is missing.
 * @param clientName name of the program, for display
 */
export async function findClientNote(
  { workspace, upkeep }: NoteServices,
  { text, section }: ProgramNote,
  clientName: string,
  now: Clock,
): Promise<SavedNote | undefined> {
  const title = section === undefined ? undefined : sectionTitle(section)
  const date = now()
  const note = withClientMark(text, clientName, date)
  const sectionEntry = title === undefined ? undefined : await workspace.findRememberedNote(note, date, title)
  if (sectionEntry) return sectionEntry
  const savedEntry = await workspace.findRememberedNote(note, date)
  if (!savedEntry || title === undefined) return savedEntry
  return {
    ...savedEntry,
    proposal: await propose({ workspace, upkeep }, { note, title, entry: savedEntry, clientName, date }),
  }
}

function withClientMark(text: string, name: string, date: Date): string {
  return withSourceMarks(text.trim(), sourceMark([{ kind: 'mcp', name }], localDate(date)))
}

interface ProposedNote {
  readonly note: string
  readonly title: string
  readonly entry: SavedNote
  readonly clientName: string
  readonly date: Date
}

async function propose(
  { workspace, upkeep }: NoteServices,
  { note, title, entry, clientName, date }: ProposedNote,
): Promise<string | null> {
  const path = longTermFile(workspace.layout)
  const before = (await workspace.exists(path)) ? (await workspace.read(path)).text : undefined
  const after = addToSection(before ?? '', title, noteItem(note)).text
  const source = sourceName({ kind: 'mcp', name: clientName })
  const lines = (await workspace.read(entry.path)).text.split('\n')
  const line = entry.startLine + (lines[entry.startLine - 1]?.startsWith('#') === true ? 1 : 0)
  const finding = {
    ...untrustedFinding({ path, before, after, from: [source] }),
    // Links the proposal to the note: undoing the note also withdraws the proposal.
    evidence: [evidenceOf(entry.path, line, lines[line - 1] ?? '')],
  }
  const currentFile = before === undefined ? undefined : { text: before, hash: hashText(before) }
  const author = { kind: 'client' as const, name: clientName }
  return (await upkeep.propose(proposalOf(finding, { author, at: date.getTime() }, () => currentFile))) ?? null
}
