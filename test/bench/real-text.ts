/**
 * A corpus of real text: the Markdown of the installed packages, and for Chinese, Japanese and Korean the sentences of
 * their translations and of the app's. Builds questions from sentences of the corpus: an opening, then the significant
 * words in order, sometimes with two letters swapped; nine words in the median. Deterministic for the installed
 * packages, so that two runs on one checkout are comparable.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { splitUnits } from '../../src/main/search/units/split-units.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Longest part of one file, characters: change logs are long and repetitive. */
const maxFile = 120_000
const questions = 200
/** One in so many questions is not in English. */
const cjkEvery = 8
/** One in so many questions has a misspelled word. */
const misspeltEvery = 10

const openings = [
  'how do I',
  'what is the',
  'when should I use',
  'where does it say',
  'why does',
  'which',
  'is there a way to',
  'can I',
]
const cjkOpenings: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\p{Script=Hangul}/u, ['은 뭐야?', ' 어떻게 해?']],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, ['はどうすればいい？', 'とは何ですか']],
  [/\p{Script=Han}/u, ['怎么办？', '是什么？', '在哪里设置']],
]

export interface Corpus {
  readonly folder: string
  readonly files: number
  /** Queries with words of the corpus, from common to rare. */
  readonly queries: readonly string[]
}

/**
 * Writes files into `folder/memory` until they have `units` units. Repeats the installed text under other names if it
 * does not suffice.
 */
export function writeRealCorpus(folder: string, units: number): Corpus {
  mkdirSync(join(folder, 'memory'), { recursive: true })
  const sources = [...interleaved(markdownOf('node_modules'), translations())]
  const texts: string[] = []
  let count = 0
  for (let index = 0; count < units; index += 1) {
    const source = sources[index % sources.length]
    if (!source) throw new Error('no Markdown is installed')
    const day = new Date(Date.UTC(2015, 0, 1 + index)).toISOString().slice(0, 10)
    writeFileSync(join(folder, 'memory', `${day}-${source.name}.md`), source.text)
    count += splitUnits(source.text).length
    if (index < sources.length) texts.push(source.text)
  }
  return { folder, files: Math.ceil(units / 10), queries: questionsAbout(texts) }
}

interface Source {
  readonly name: string
  readonly text: string
}

/** Returns each text once, in an order independent of the names. */
/** Returns the paragraphs of the installed Markdown, each as one line. */
export function realParagraphs(): string[] {
  const texts = markdownOf('node_modules').map(({ text }) => text)
  return texts
    .flatMap((text) => text.split(/\n\n+/).map((paragraph) => paragraph.replaceAll('\n', ' ').trim()))
    .filter(Boolean)
}

function markdownOf(folder: string): Source[] {
  const seen = new Set<string>()
  const found: { key: string; source: Source }[] = []
  for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    const file = join(root, folder, path)
    if (!/\.md$/i.test(path) || !statSync(file).isFile()) continue
    const text = readFileSync(file, 'utf8').slice(0, maxFile)
    const key = hash(text)
    if (text.length < 200 || seen.has(key)) continue
    seen.add(key)
    const name = path
      .replace(/\.md$/i, '')
      .replace(/[^A-Za-z0-9]+/g, '-')
      .slice(-60)
    found.push({ key: hash(path), source: { name, text } })
  }
  return found.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ source }) => source)
}

/** Returns sentences of translations as notes of forty lines. */
function translations(): Source[] {
  const files = [
    ...['zh_CN', 'zh_TW', 'ja', 'ko'].map((locale) => `node_modules/axe-core/locales/${locale}.json`),
    ...['zh-CN', 'zh-TW'].map((locale) => `src/shared/i18n/${locale}.json`),
  ]
  return files.flatMap((file) => {
    const lines = sentencesIn(JSON.parse(readFileSync(join(root, file), 'utf8')))
    const name = file.replace(/[^A-Za-z0-9]+/g, '-')
    return Array.from({ length: Math.ceil(lines.length / 40) }, (_, index) => ({
      name: `${name}-${index}`,
      text: `# ${name}\n\n${lines
        .slice(index * 40, index * 40 + 40)
        .map((line) => `- ${line}`)
        .join('\n')}\n`,
    }))
  })
}

function sentencesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 8 ? [value.replaceAll('\n', ' ')] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(sentencesIn) : []
}

/** Yields one of `others` after every eight of `many`, until `others` is exhausted. */
function* interleaved(many: readonly Source[], others: readonly Source[]): Generator<Source> {
  for (const [index, source] of many.entries()) {
    yield source
    const other = index % 8 === 7 ? others[(index - 7) / 8] : undefined
    if (other) yield other
  }
}

function questionsAbout(texts: readonly string[]): string[] {
  const lines = texts.flatMap((text) => text.split('\n'))
  const prose = lines.filter((line) => /^[A-Z-][^|<>`[\]{}=;]{60,300}$/.test(line) && line.split(' ').length > 11)
  const cjk = lines.filter((line) => /[\p{Script=Han}\p{Script=Hangul}]{4}/u.test(line))
  return Array.from({ length: questions }, (_, index) => {
    const isCjk = cjk.length > 0 && index % cjkEvery === cjkEvery - 1
    return isCjk ? cjkQuestion(pick(cjk, index), index) : englishQuestion(pick(prose, index), index)
  })
}

function englishQuestion(line: string, index: number): string {
  const words = line.match(/[A-Za-z][A-Za-z'_.-]*[A-Za-z]/g) ?? []
  const count = 5 + (index % 5)
  const from = index % Math.max(1, words.length - count)
  const asked = words.slice(from, from + count)
  if (index % misspeltEvery === 0) {
    const at = asked.findIndex((word) => word.length > 5)
    const word = asked[at]
    if (word) asked[at] = `${word.slice(0, 2)}${word[3]}${word[2]}${word.slice(4)}`
  }
  return `${openings[index % openings.length]} ${asked.join(' ')}?`
}

function cjkQuestion(line: string, index: number): string {
  const [, endings = []] = cjkOpenings.find(([script]) => script.test(line)) ?? []
  const text = line.replace(/^[-\s]+/, '').replace(/\{\{[^}]*\}\}|[。、，,.：:"「」]/g, ' ')
  const part = text.slice(0, 10 + (index % 8)).trim()
  return `${part}${endings[index % Math.max(1, endings.length)] ?? ''}`
}

function pick(lines: readonly string[], index: number): string {
  const at = parseInt(hash(`question ${index}`).slice(0, 8), 16)
  return lines[at % Math.max(1, lines.length)] ?? ''
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
