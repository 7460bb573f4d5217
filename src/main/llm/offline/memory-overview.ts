/** What memory holds as a whole, as far as it can be told without a language model: counted, or quoted. Pure. */
import {
  dateOf,
  entriesOf,
  isLog,
  listFiles,
  maxEntries,
  maxLogs,
  of,
  passageOf,
  type Result,
  type Step,
} from './offline-answers.ts'
import { quotable, type QuotedLine } from './quote.ts'
import type { Sentences } from './sentences/sentences.ts'

/** Logs that are looked into for what was noted last. */
const latestLogs = 5

/** How many notes there are, and in how many files. */
export function count(results: readonly Result[], sentences: Sentences, today: string): Step {
  const listed = listFiles(results, {})
  if ('calls' in listed) return listed
  const { paths } = listed
  if (paths.length === 0) return { text: sentences.noFiles }
  const noted = paths.filter(holdsNotes)
  const files = `\n\n${paths.map((path) => `- [${path}]`).join('\n')}`
  if (noted.length > maxLogs) return { text: sentences.countedFiles(paths.length) + files }
  const read = readAll(noted, results)
  if (read) return read
  return { text: sentences.counted(notesIn(results, today).length, paths.length) + files }
}

/** What was noted last, and what is kept for good. */
export function digest(results: readonly Result[], sentences: Sentences, today: string): Step {
  const listed = listFiles(results, {})
  if ('calls' in listed) return listed
  const logs = listed.paths.filter(isLog).sort().slice(-latestLogs)
  const kept = listed.paths.filter((path) => holdsNotes(path) && !isLog(path)).slice(0, maxLogs)
  const read = readAll([...kept, ...logs], results)
  if (read) return read
  return said(notesIn(results, today), sentences.digest, sentences.noNotes, sentences)
}

/** What the files say that are about the user. */
export function aboutMe(results: readonly Result[], sentences: Sentences, today: string): Step {
  const listed = listFiles(results, {})
  if ('calls' in listed) return listed
  const read = readAll(
    listed.paths.filter((path) => /(?:^|\/)(?:USER|MEMORY)\.md$/.test(path)),
    results,
  )
  if (read) return read
  return said(notesIn(results, today), sentences.aboutYou, sentences.nothingAboutYou, sentences)
}

/** Files in which notes lie; what tells the agent how to behave is none. */
function holdsNotes(path: string): boolean {
  return /(?:^|\/)(?:MEMORY\.md$|memory\/)/.test(path)
}

function readAll(paths: readonly string[], results: readonly Result[]): Step | undefined {
  if (paths.length === 0 || of(results, 'memory_get').length > 0) return undefined
  return { calls: paths.map((path) => ({ name: 'memory_get', arguments: { path } })) }
}

function notesIn(results: readonly Result[], today: string): QuotedLine[] {
  return of(results, 'memory_get').flatMap((read) => {
    const passage = passageOf(read)
    if (isLog(passage.path)) return entriesOf(read)
    // A line that waits to be filled in says nothing yet.
    return quotable(passage, today).filter(({ text }) => !/[:：]$/.test(text))
  })
}

function said(lines: readonly QuotedLine[], lead: string, nothing: string, { more }: Sentences): Step {
  if (lines.length === 0) return { text: nothing }
  const shown = lines.slice(-maxEntries)
  const rest = lines.length - shown.length
  const quotes = shown.map(({ path, line, text }) => {
    const date = dateOf(path)
    return `- ${date === undefined ? '' : `${date} `}${text} [${path}:${line}]`
  })
  return { text: [lead, '', ...quotes, ...(rest > 0 ? ['', more(rest)] : [])].join('\n') }
}
