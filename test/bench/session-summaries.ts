/**
 * `node test/bench/session-summaries.ts FOLDER…`: compares the summaries of ended chats without a language model with
 * dumps of twice the length, by what a search at the default settings shows of them. Each folder is a judged set
 * (`workspace/` and `queries.jsonl`). Each daily log is a chat whose lines are the user's messages; the summaries
 * or dumps stand in its place. A speaker's name before a line stays there in both, and counts as a part of it.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { summarizeStatements } from '../../src/main/llm/offline/summarize-statements.ts'
import { parseQuestions, type JudgedQuestion } from '../../src/main/search/evaluation/judged-questions.ts'
import { sentencesOf } from '../../src/main/search/text/language/sentences.ts'
import { queryTerms } from '../../src/main/search/query/parse-query.ts'
import { defaults } from '../recall/judged-set.ts'
import { openUnitSearch } from '../recall/unit-set.ts'

const summaryLength = 1200
const dumpLength = 2400
/** Number of messages in the dump of an earlier version. */
const dumpMessages = 15
/** Share of a judged line's content words that one line of a result must contain. */
const minLineShare = 0.8
/** Share of a question's content words that the sentence of a judged line must contain, to be its answer. */
const minQueryShare = 0.5
const searchLimits = { ...defaults, minScore: null }

interface Line {
  /** With its final colon and space; empty if there is none. */
  readonly speaker: string
  readonly text: string
}

interface Count {
  lines: number
  sentences: number
  total: number
}

const items = (lines: readonly Line[]) => lines.map(({ speaker, text }) => `- ${speaker}${text}`)

/** Each returns the Markdown list in place of a chat. */
const forms: Readonly<Record<string, (lines: readonly Line[]) => string>> = {
  'dump, head': (lines) => items(lines.slice(-dumpMessages)).join('\n').slice(0, dumpLength),
  'dump, tail': (lines) => items(lines.slice(-dumpMessages)).join('\n').slice(-dumpLength),
  'whole chat, head': (lines) => items(lines).join('\n').slice(0, dumpLength),
  'whole chat, tail': (lines) => items(lines).join('\n').slice(-dumpLength),
  summary: summaryOf,
}

/** Leaves room for the names of the speakers. */
function summaryOf(lines: readonly Line[]): string {
  const messages = lines.map((line) => ({ text: line.text, key: line }))
  let limit = summaryLength
  for (;;) {
    const entries = summarizeStatements(messages, limit).map(({ text, key }) => ({ text, speaker: key.speaker }))
    const summary = items(entries).join('\n')
    if (summary.length <= summaryLength) return summary
    limit -= Math.max(5, Math.floor((summary.length - summaryLength) / 2))
  }
}

function readLines(log: string): Line[] {
  return log.split('\n').flatMap((line) => {
    const [, speaker = '', text = ''] = /^- (\p{Lu}\p{L}*: )?(.*)/u.exec(line) ?? []
    return text === '' ? [] : [{ speaker, text }]
  })
}

function contentWords(text: string): string[] {
  return queryTerms(text).flatMap(({ role, readings: [reading] }) =>
    role === 'function' || role === 'filler' || !reading ? [] : [reading.term],
  )
}

const normalized = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim()

/** Returns true if one line of the results contains the text or enough of its content words. */
function isShown(text: string, minShare: number, shown: readonly string[]): boolean {
  const words = contentWords(text)
  return shown.some((line) => {
    if (normalized(line).includes(normalized(text))) return true
    const own = new Set(contentWords(line))
    return words.length > 0 && words.filter((word) => own.has(word)).length >= minShare * words.length
  })
}

async function measure(folder: string, form: (lines: readonly Line[]) => string, hasVectors: boolean): Promise<Count> {
  const source = join(folder, 'workspace', 'memory')
  const root = mkdtempSync(join(tmpdir(), 'commonplace-summaries-'))
  const target = join(root, 'workspace', 'memory')
  mkdirSync(target, { recursive: true })
  for (const name of readdirSync(source)) {
    const lines = readLines(readFileSync(join(source, name), 'utf8'))
    const date = name.slice(0, 10)
    writeFileSync(join(target, `${basename(name, '.md')}-chat.md`), `# ${date}: chat\n\n${form(lines)}\n`)
  }
  const { search } = await openUnitSearch(root, undefined, hasVectors)
  rmSync(root, { recursive: true, force: true })
  const count: Count = { lines: 0, sentences: 0, total: 0 }
  const file = join(folder, 'queries.jsonl')
  for (const question of parseQuestions(readFileSync(file, 'utf8'), file)) {
    const results = await search(question.query, searchLimits)
    const shown = results.flatMap(({ snippet }) => snippet.split('\n'))
    const asked = new Set(contentWords(question.query))
    for (const { text } of judgedLines(folder, question)) {
      count.total += 1
      const isFound = isShown(text, minLineShare, shown)
      count.lines += Number(isFound)
      const answers = sentencesOf(text).filter(
        (sentence) => contentWords(sentence).filter((word) => asked.has(word)).length >= minQueryShare * asked.size,
      )
      count.sentences += Number(isFound || answers.some((sentence) => isShown(sentence.trim(), minLineShare, shown)))
    }
  }
  return count
}

function judgedLines(folder: string, { relevant }: JudgedQuestion): Line[] {
  return relevant.flatMap(({ path, startLine, endLine }) =>
    readFileSync(join(folder, 'workspace', path), 'utf8')
      .split('\n')
      .slice(startLine - 1, endLine)
      .flatMap(readLines),
  )
}

for (const hasVectors of [false, true]) {
  process.stdout.write(`${hasVectors ? 'built-in model' : 'keywords'}\n`)
  for (const folder of process.argv.slice(2)) {
    for (const [name, form] of Object.entries(forms)) {
      const { lines, sentences, total } = await measure(folder, form, hasVectors)
      const share = (found: number) => `${found}/${total} ${(found / total).toFixed(3)}`
      process.stdout.write(
        `${basename(folder).padEnd(12)} ${name.padEnd(16)} lines ${share(lines)}  sentences ${share(sentences)}\n`,
      )
    }
  }
}
