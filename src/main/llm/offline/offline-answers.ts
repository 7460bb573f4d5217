/** Answers from memory: each asks for the tools that it needs, step by step, and in the end quotes what they gave. Pure. */
import { isRecord, parseJson } from '#shared/util/json.ts'
import { maxQuery } from '#shared/util/limits.ts'
import { messageText, type Message, type ToolCallPart, type ToolResultMessage } from '#shared/chat/messages.ts'
import type { Intention } from './intent.ts'
import {
  bestLines,
  clipped,
  isHollow,
  namesTime,
  nearLines,
  sharesWord,
  type FoundLines,
  type Passage,
  type QuotedLine,
} from './quote.ts'
import type { Sentences } from './sentences/sentences.ts'

/** Results that it reads whole, to quote from. */
const maxRead = 3
const maxQuoted = 3
/** When nothing is above the configured threshold, what comes closest is worth showing, and called that. */
const closestMinScore = 0.12
/** Characters of a question that are said back; one that is longer is known to whoever wrote it. */
export const maxEchoed = 60
/** Logs of a time that are read; the latest ones. */
export const maxLogs = 40
/** Entries of logs that are shown. */
export const maxEntries = 60
const maxEntry = 200

/** What the model says next, or the tools that it wants to see something by. */
export interface Step {
  readonly text?: string
  readonly calls?: readonly Omit<ToolCallPart, 'type' | 'id'>[]
}

/** What a tool gave, with what it was asked. */
export interface Result {
  readonly result: ToolResultMessage
  readonly asked: Readonly<Record<string, unknown>>
}

export function resultsSince(messages: readonly Message[]): Result[] {
  const calls = new Map<string, Readonly<Record<string, unknown>>>()
  const found: Result[] = []
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const part of message.content) if (part.type === 'toolCall') calls.set(part.id, part.arguments)
    } else if (message.role === 'toolResult') {
      found.push({ result: message, asked: calls.get(message.toolCallId) ?? {} })
    }
  }
  return found
}

export const of = (results: readonly Result[], tool: string) => results.filter(({ result }) => result.toolName === tool)

/** What the logs of a time have. */
export function period(
  { first, last }: Extract<Intention, { kind: 'period' }>,
  results: readonly Result[],
  sentences: Sentences,
  todaysLog: string,
): Step {
  const span = first === last ? first : `${first} – ${last}`
  const listed = listFiles(results, { path: /^(?:.+\/)?memory(?=\/)/.exec(todaysLog)?.[0] ?? 'memory' })
  if ('calls' in listed) return listed
  const reads = of(results, 'memory_get')
  if (reads.length === 0) {
    const logs = listed.paths
      .filter((path) => isLog(path) && isBetween(dateOf(path), first, last))
      .sort()
      .slice(-maxLogs)
    if (logs.length === 0) return { text: sentences.nothingIn(span) }
    return { calls: logs.map((path) => ({ name: 'memory_get', arguments: { path } })) }
  }
  const entries = reads.flatMap(entriesOf)
  if (entries.length === 0) return { text: sentences.nothingIn(span) }
  const shown = entries.slice(0, maxEntries)
  const lines = shown.flatMap(({ path, line, text }, index) => {
    const date = dateOf(path)
    const isNewDay = first !== last && (index === 0 || date !== dateOf(shown[index - 1]?.path ?? ''))
    return [...(isNewDay ? [`${index === 0 ? '' : '\n'}**${date}**\n`] : []), `- ${text} [${path}:${line}]`]
  })
  const rest = entries.length - shown.length
  return {
    text: [sentences.periodHas(span), '', ...lines, ...(rest > 0 ? ['', sentences.more(rest)] : [])].join('\n'),
  }
}

function isBetween(date: string | undefined, first: string, last: string): boolean {
  return date !== undefined && date >= first && date <= last
}

/** The entries of a log: each line of it, with the hour of its heading, which is left out where it only repeats the line. */
export function entriesOf(read: Result): QuotedLine[] {
  const { path, lines } = passageOf(read)
  // The end of a conversation is told by its name: what was noted from it stands in the log.
  const topic = /^# (.+)$/.exec(lines[0] ?? '')?.[1]
  if (/(?:^|\/)memory\/[\d-]{10}-[^/]+\.md$/.test(path) && topic !== undefined) return [{ path, line: 1, text: topic }]
  const entries: QuotedLine[] = []
  let time = ''
  for (const [index, raw] of lines.entries()) {
    const text = raw.replace(/^\s*(?:[-*+>]|\d+[.)])\s+/, '').trim()
    const heading = /^#{2,6}\s+(?:(\d{1,2}:\d{2})(?:\s*[-–—]\s*|$))?(.*)$/.exec(text)
    if (heading) {
      time = heading[1] === undefined ? '' : `${heading[1]} `
      const title = (heading[2] ?? '').replace(/…$/, '')
      const next = lines
        .slice(index + 1)
        .find((line) => line.trim() !== '')
        ?.trim()
      const isTimeAlone = title === '' && time !== '' && next !== undefined && !next.startsWith('#')
      if (isTimeAlone) continue
      if (next === undefined || next.startsWith('#') || (!next.startsWith(title) && !/^[-*+] /.test(next)))
        entries.push({ path, line: index + 1, text: `${time}${title}` })
    } else if (text !== '' && !/^#\s/.test(text)) {
      entries.push({ path, line: index + 1, text: clipped(`${time}${text}`, maxEntry) })
    }
  }
  return entries
}

export function files(results: readonly Result[], sentences: Sentences): Step {
  const listed = listFiles(results, {})
  if ('calls' in listed) return listed
  if (listed.paths.length === 0) return { text: sentences.noFiles }
  return { text: `${sentences.filesAre}\n\n${listed.paths.map((path) => `- [${path}]`).join('\n')}` }
}

/** The Markdown files of a folder, or of the workspace; or what asks for the next page of the list. */
export function listFiles(
  results: readonly Result[],
  folder: { readonly path?: string },
): { readonly paths: readonly string[] } | { readonly calls: NonNullable<Step['calls']> } {
  const lists = of(results, 'list')
  if (lists.length === 0) return { calls: [{ name: 'list', arguments: folder }] }
  const next = /\[.*from=(\d+)\]$/.exec(messageOf(lists.at(-1)))?.[1]
  if (next !== undefined) return { calls: [{ name: 'list', arguments: { ...folder, from: Number(next) } }] }
  const lines = lists.flatMap((list) => messageOf(list).split('\n'))
  return { paths: lines.flatMap((line) => /^(.+\.md) \(\d+ bytes\)$/.exec(line)?.[1] ?? []) }
}

export function isLog(path: string): boolean {
  return /(?:^|\/)memory\/\d{4}-\d{2}-\d{2}(?:-[^/]+)?\.md$/.test(path)
}

const asksWhen =
  /\bwhen\b|\bwhat (?:day|date|time)\b|什么时候|什麼時候|何时|何時|哪(?:一)?天|几号|幾號|几点|幾點|几月|幾月|いつ|何日|何月|何曜日|何時|언제|며칠|몇 ?(?:월|시)|무슨 요일/i

/** Searches, reads what was found, and quotes the lines that fit; where nothing does, what comes closest. */
export function answer(question: string, results: readonly Result[], sentences: Sentences, today: string): Step {
  const found = find(question, results, today)
  if ('calls' in found) return found
  if (found.lines.length > 0) return { text: quoted(found.lines, question, sentences, today, found.isClosest) }
  return { text: sentences.nothingFound(clipped(question.replace(/\s+/g, ' ').trim(), maxEchoed)) }
}

/**
 * What is to be deleted or changed, and where the user does that: what is written is not this model's to touch.
 * @param about empty for `last`, the note that this conversation wrote last
 */
export function amend(
  about: string,
  results: readonly Result[],
  sentences: Sentences,
  at: Days,
  last?: QuotedLine,
): Step {
  if (isHollow(about)) {
    if (!last) return { text: `${sentences.cannotChange} ${sentences.changeInLog(at.todaysLog)}` }
    return {
      text: `${sentences.cannotChange} ${sentences.changeLast}\n\n> ${last.text}\n\n[${last.path}:${last.line}]`,
    }
  }
  const found = find(about, results, at.today)
  if ('calls' in found) return found
  if (found.lines.length === 0) return { text: `${sentences.cannotChange} ${sentences.nothingToChange}` }
  const lines = found.lines.map(({ path, line, text }) => `> ${text}\n\n[${path}:${line}]`)
  return { text: [`${sentences.cannotChange} ${sentences.changeThere}`, ...lines].join('\n\n') }
}

/** The day and the file that its notes go to. */
interface Days {
  readonly today: string
  readonly todaysLog: string
}

interface Found {
  readonly lines: readonly QuotedLine[]
  /** None of them has a word of what was looked for above the threshold. */
  readonly isClosest: boolean
}

/** The lines of memory that fit best, or what has to be seen before. */
function find(
  text: string,
  results: readonly Result[],
  today: string,
): Found | { readonly calls: NonNullable<Step['calls']> } {
  const query = text.slice(0, maxQuery).toWellFormed()
  const searches = of(results, 'memory_search')
  const search = searches.at(-1)
  if (!search) return { calls: [{ name: 'memory_search', arguments: { query } }] }
  const isClosest = searches.length > 1
  const passages = of(results, 'memory_get').map(passageOf)
  const places = searches.flatMap(foundIn)
  const lines = bestLines(query, passages, maxQuoted, today, places)
  const unread = hitsOf(search).filter(
    ({ path, startLine }) => !passages.some((one) => one.path === path && one.from === startLine),
  )
  // What was written down says more than what was said: conversations are read when nothing else speaks of it.
  const written = unread.filter(({ path }) => !isConversation(path))
  const next = written.length > 0 ? written : unread
  if (lines.length === 0 && next.length > 0 && passages.length < 3 * maxRead) {
    return {
      calls: next.slice(0, maxRead).map(({ path, startLine, endLine }) => ({
        name: 'memory_get',
        arguments: { path, from: startLine, lines: endLine - startLine + 1 },
      })),
    }
  }
  if (lines.length > 0)
    return { lines, isClosest: isClosest || !lines.some(({ text: line }) => sharesWord(query, line)) }
  const near = nearLines(passages, maxQuoted, today, places)
  if (near.length > 0) return { lines: near, isClosest: true }
  if (!isClosest)
    return { calls: [{ name: 'memory_search', arguments: { query, minScore: closestMinScore, maxResults: 2 } }] }
  return { lines: [], isClosest }
}

function quoted(
  quotes: readonly QuotedLine[],
  question: string,
  sentences: Sentences,
  today: string,
  isClosest: boolean,
): string {
  const isWhen = asksWhen.test(question)
  const named = quotes.filter(({ text }) => namesTime(text, today))
  // The line that says when comes first; the day on which something was noted is another matter.
  const shown = isWhen && named.length > 0 ? [...named, ...quotes.filter((quote) => !named.includes(quote))] : quotes
  const blocks = shown.map(({ path, line, text }) => {
    const date = dateOf(path)
    const noted = isWhen && date !== undefined ? ` · ${sentences.notedOn(date)}` : ''
    return `> ${text}\n\n[${path}:${line}]${noted}`
  })
  const dates = [...new Set(quotes.flatMap(({ path }) => dateOf(path) ?? []))].sort()
  const isSpoken = quotes.every(({ path }) => isConversation(path))
  const lead = isSpoken
    ? sentences.saidEarlier
    : isClosest
      ? sentences.foundClosest
      : isWhen && named.length > 0
        ? sentences.whenWritten
        : isWhen && dates.length > 0
          ? sentences.whenNoted(dates.join(', '))
          : sentences.found
  return `${lead}\n\n${blocks.join('\n\n')}\n\n${sentences.noModel}`
}

export function dateOf(path: string): string | undefined {
  return /(?:^|\/)memory\/(\d{4}-\d{2}-\d{2})/.exec(path)?.[1]
}

function isConversation(path: string): boolean {
  return path.startsWith('sessions/')
}

interface Hit {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
}

function hitsOf(search: Result): Hit[] {
  const parsed = parseJson(messageOf(search))
  const results = isRecord(parsed) && Array.isArray(parsed['results']) ? parsed['results'] : []
  return results.flatMap((hit: unknown) => {
    if (!isRecord(hit)) return []
    const { path, startLine, endLine } = hit
    return typeof path === 'string' && typeof startLine === 'number' && typeof endLine === 'number'
      ? [{ path, startLine, endLine }]
      : []
  })
}

/** Where a search found what it did, the best result first; nothing of searches that did not say. */
function foundIn({ result: { details } }: Result): FoundLines[] {
  if (details?.kind !== 'recall') return []
  return details.recall.results.flatMap(({ path, found, vectorScore, textScore }, index) => {
    // Meaning is vague about all but the best.
    const isMeant = index === 0 && vectorScore !== null && vectorScore > (textScore ?? 0)
    return found ? [{ path, ...found, meaning: isMeant ? vectorScore : 0 }] : []
  })
}

/** The lines that a `memory_get` returned, with the file and line that each came from; all of its text where it was cut. */
export function passageOf(read: Result): Passage {
  const text = messageOf(read)
  const parsed = parseJson(text)
  const lines = isRecord(parsed) && typeof parsed['text'] === 'string' ? parsed['text'] : (headOf(text) ?? text)
  const { path, from } = read.asked
  return { path: String(path), from: typeof from === 'number' ? from : 1, lines: lines.split('\n') }
}

/** What is left of the text of a result that was cut on its way, up to the cut. */
function headOf(json: string): string | undefined {
  const escaped = /^\{.*?"text":"((?:[^"\\\n]|\\[^u\n]|\\u[0-9a-f]{4})*)/i.exec(json)?.[1]
  const head = escaped === undefined ? undefined : parseJson(`"${escaped}"`)
  return typeof head === 'string' ? head : undefined
}

function messageOf(result: Result | undefined): string {
  return result ? messageText(result.result) : ''
}
