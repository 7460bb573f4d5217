import type { FileChange } from '#shared/util/file-change.ts'
import type { LinesOfFile } from '#shared/util/file-lines.ts'
import { sourceMark, sourceName, withSourceMarks } from '#shared/markdown/provenance.ts'
import type { Clock } from '#platform'
import { evidenceOf, suggestionOf, untrustedFinding, type SuggestionService } from '#curation'
import { addToSection, noteItem, hashText, localDate, longTermFile, type Workspace } from '#workspace'

interface NoteServices {
  readonly workspace: Workspace
  readonly suggestions: SuggestionService
}

interface ProgramNote {
  readonly text: string
  /** Title of a section, as `sectionTitle` returns it; undefined for the daily log. */
  readonly section: string | undefined
}

interface SavedNote extends LinesOfFile {
  /** Undefined for a note that was found. */
  readonly change?: FileChange
  /** Id of the proposal in the inbox; null if the user already rejected the same proposal. */
  readonly proposal?: string | null
}

/**
 * Saves a note in the daily log, or in a section of MEMORY.md if the program may write there. Without that permission a
 * proposal for MEMORY.md goes to the inbox.
 */
export async function saveClientNote(
  services: NoteServices,
  { text, section }: ProgramNote,
  { name, mayKeep }: { readonly name: string; readonly mayKeep: boolean },
  now: Clock,
): Promise<SavedNote> {
  const date = now()
  const note = withClientMark(text, name, date)
  const origin = { cause: 'client' as const, client: name, sources: [sourceName({ kind: 'mcp', name })] }
  if (section !== undefined && mayKeep) return services.workspace.rememberIn(section, note, origin)
  return withSuggestion(services, await services.workspace.remember(note, date, origin), { note, section, name, date })
}

/** Finds a note whose confirmation was lost; undefined if it is not saved. Adds the proposal if it is missing. */
export async function findClientNote(
  services: NoteServices,
  { text, section }: ProgramNote,
  name: string,
  now: Clock,
): Promise<SavedNote | undefined> {
  const date = now()
  const note = withClientMark(text, name, date)
  const { workspace } = services
  const longTermEntry = section === undefined ? undefined : await workspace.findRememberedNote(note, date, true)
  if (longTermEntry) return longTermEntry
  const entry = await workspace.findRememberedNote(note, date)
  return entry && withSuggestion(services, entry, { note, section, name, date })
}

function withClientMark(text: string, name: string, date: Date): string {
  return withSourceMarks(text.trim(), sourceMark([{ kind: 'mcp', name }], localDate(date)))
}

async function withSuggestion(
  { workspace, suggestions }: NoteServices,
  entry: SavedNote,
  { note, section, name, date }: { note: string; section: string | undefined; name: string; date: Date },
): Promise<SavedNote> {
  if (section === undefined) return entry
  const path = longTermFile(workspace.layout)
  const before = (await workspace.exists(path)) ? (await workspace.read(path)).text : undefined
  const after = addToSection(before ?? '', section, noteItem(note)).text
  const lines = (await workspace.read(entry.path)).text.split('\n')
  const line = entry.startLine + (lines[entry.startLine - 1]?.startsWith('#') === true ? 1 : 0)
  const finding = {
    ...untrustedFinding(path, before, after, [sourceName({ kind: 'mcp', name })]),
    // Links the proposal to the note: undoing the note also withdraws the proposal.
    evidence: [evidenceOf(entry.path, line, lines[line - 1] ?? '')],
  }
  const currentFile = before === undefined ? undefined : { text: before, hash: hashText(before) }
  const author = { kind: 'client' as const, name }
  const suggestion = await suggestions.propose(suggestionOf(finding, { author, at: date.getTime() }, () => currentFile))
  return { ...entry, proposal: suggestion ?? null }
}
