import { copyFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { savedSearchRunSchema } from '#shared/contract/saved-searches.ts'
import {
  type Clock,
  EventEmitter,
  type Subscribable,
  appendDurably,
  writeDurably,
  KeyedQueue,
  parseStored,
  readIfExists,
  readRows,
  damagedPath,
} from '#platform'
import type { Check, CheckedQuestion, SavedSearchRun } from '#shared/contract/index.ts'
import { onAppError, orUndefined } from '#shared/util/errors.ts'
import { isHit, parseQuestions, type Memory } from '#search'

const runDelayMs = 2000
const progressIntervalMs = 200
const maxListedRuns = 500

export interface SavedSearchesOptions {
  readonly folder: string
  readonly memory: Pick<Memory, 'search' | 'explain'>
  /** A session has the form that the search indexes. @throws AppError `unknown_session`, and as `Workspace.read` */
  readonly readText: (path: string) => Promise<string>
  readonly now: Clock
  /** False for a single command: nothing runs automatically. */
  readonly watch: boolean
  readonly onFault: (error: unknown) => void
}

type Outcome = NonNullable<Check['outcome']>

const expectedLinesSchema = z.object({
  path: z.string(),
  /** 1-based, inclusive. */
  startLine: z.number().int(),
  endLine: z.number().int(),
  /** Text of the lines; undefined before the first run. */
  text: z.string().optional(),
})
type ExpectedLines = z.infer<typeof expectedLinesSchema>

const storedSearchSchema = z.object({ id: z.string(), query: z.string(), relevant: z.array(expectedLinesSchema) })
type StoredSearch = z.infer<typeof storedSearchSchema>

interface Run {
  readonly controller: AbortController
  readonly progress: { done: number; readonly total: number }
}

export class SavedSearches {
  readonly #changes = new EventEmitter()
  readonly changes: Subscribable<void> = this.#changes
  readonly #options: SavedSearchesOptions
  readonly #file: string
  readonly #runsFile: string
  #outcomes = new Map<string, Outcome>()
  #run: Run | undefined
  #hasRun = false
  #timer: NodeJS.Timeout | undefined
  readonly #queue = new KeyedQueue()

  constructor(options: SavedSearchesOptions) {
    this.#options = options
    this.#file = join(options.folder, 'checks.jsonl')
    this.#runsFile = join(options.folder, 'check-runs.jsonl')
  }

  async list() {
    const queries = await this.#load()
    const locate = await this.#locator(queries)
    if (queries.length > 0 && !this.#hasRun) this.scheduleRun('index')
    return {
      checks: queries.map(({ id, query, relevant }) => ({
        id,
        query,
        relevant: relevant.map((lines) => ({ ...withoutText(lines), state: locate(lines).state })),
        outcome: this.#outcomes.get(id) ?? null,
      })),
      runs: (await readRows(this.#runsFile, savedSearchRunSchema)).slice(-maxListedRuns),
      progress: this.#run ? { ...this.#run.progress } : null,
    }
  }

  /** Adds a query, or expected lines to an equal query. */
  async add(question: CheckedQuestion): Promise<void> {
    await this.#merge([question])
    this.scheduleRun('index')
  }

  /** @returns the removed query, so that it can be added again; null for an unknown id */
  async remove(id: string): Promise<CheckedQuestion | null> {
    const removed = (await this.#load()).find((savedQuery) => savedQuery.id === id)
    await this.#change((queries) => queries.filter((savedQuery) => savedQuery.id !== id))
    this.#outcomes.delete(id)
    this.#changes.emit()
    return removed ? { query: removed.query, relevant: removed.relevant.map(withoutText) } : null
  }

  /** Adds queries from JSON lines; `added` counts new ones. @throws AppError `input_invalid` with the line number */
  async import(text: string): Promise<{ added: number }> {
    const questions = parseQuestions(text, 'queries.jsonl', 'offTopic').filter(({ relevant }) => relevant.length > 0)
    const before = (await this.#load()).length
    await this.#merge(questions)
    this.scheduleRun('index')
    return { added: (await this.#load()).length - before }
  }

  async export(): Promise<string> {
    return formatSavedSearches(withLines(await this.#load(), withoutText))
  }

  async move(from: string, to: string): Promise<void> {
    const isExpected = ({ relevant }: StoredSearch) => relevant.some(({ path }) => path === from)
    if (!(await this.#load()).some(isExpected)) return
    await this.#change((queries) =>
      withLines(queries, (lines) => (lines.path === from ? { ...lines, path: to } : lines)),
    )
    this.#changes.emit()
  }

  /** Runs the queries two seconds after the last call; has no effect without `watch`. */
  scheduleRun(cause: 'index' | 'settings'): void {
    if (!this.#options.watch) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.run(cause).catch((error: unknown) => this.#options.onFault(error))
    }, runDelayMs)
  }

  /** Runs all queries and aborts a current run. @returns null if there are no queries or the run was stopped */
  async run(cause: SavedSearchRun['cause']): Promise<SavedSearchRun | null> {
    this.#hasRun = true
    clearTimeout(this.#timer)
    this.#run?.controller.abort()
    await this.#updateExpectedLines()
    const queries = await this.#load()
    if (queries.length === 0) return null
    const run = { controller: new AbortController(), progress: { done: 0, total: queries.length } }
    this.#run = run
    this.#changes.emit()
    try {
      return await this.#runAll(queries, run, cause)
    } catch (error) {
      if (run.controller.signal.aborted) return null
      throw error
    } finally {
      if (this.#run === run) {
        this.#run = undefined
        this.#changes.emit()
      }
    }
  }

  stop(): void {
    this.#run?.controller.abort()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.stop()
  }

  async #runAll(queries: readonly StoredSearch[], run: Run, cause: SavedSearchRun['cause']): Promise<SavedSearchRun> {
    const { signal } = run.controller
    const outcomes = new Map<string, Outcome>()
    let lastEmitAt = performance.now()
    for (const savedQuery of queries) {
      outcomes.set(savedQuery.id, await this.#runQuery(savedQuery, signal))
      signal.throwIfAborted()
      run.progress.done += 1
      if (performance.now() - lastEmitAt < progressIntervalMs) continue
      lastEmitAt = performance.now()
      this.#changes.emit()
    }
    const hasChanged = [...outcomes].some(([id, { rank }]) => (this.#outcomes.get(id)?.rank ?? null) !== rank)
    this.#outcomes = outcomes
    const passed = [...outcomes.values()].filter(({ rank }) => rank !== null).length
    const checkRun: SavedSearchRun = { at: this.#options.now().getTime(), cause, passed, total: queries.length }
    const previous = (await readRows(this.#runsFile, savedSearchRunSchema)).at(-1)
    const isNewResult = hasChanged && (previous?.passed !== passed || previous.total !== queries.length)
    if (cause === 'asked' || isNewResult)
      await this.#queue.run(this.#runsFile, () => appendDurably(this.#runsFile, `${JSON.stringify(checkRun)}\n`))
    return checkRun
  }

  async #runQuery({ query, relevant }: StoredSearch, signal: AbortSignal): Promise<Outcome> {
    const { memory } = this.#options
    const { results } = await memory.search(query, {}, signal)
    const index = results.findIndex((result) => relevant.some((lines) => isHit(result, lines)))
    if (index >= 0) return { rank: index + 1, reason: null, score: results[index]?.score ?? null }
    const [expected] = relevant
    if (!expected) return { rank: null, reason: 'noMatch', score: null }
    const place = { path: expected.path, line: expected.startLine }
    const { why } = await memory.explain(query, {}, place, signal)
    // `returned` if the index changed between the two searches.
    const reason = why === undefined || why.reason === 'returned' || why.reason === 'private' ? 'noMatch' : why.reason
    return { rank: null, reason, score: why?.candidate?.score ?? null }
  }

  async #updateExpectedLines(): Promise<void> {
    const locate = await this.#locator(await this.#load())
    await this.#change((queries) => withLines(queries, (lines) => locate(lines).lines))
  }

  /** Lines of a file that cannot be read at the moment keep their place. */
  async #locator(
    queries: readonly StoredSearch[],
  ): Promise<(lines: ExpectedLines) => ReturnType<typeof relocateLines>> {
    /** `text` is undefined for a deleted file. */
    const texts = new Map<string, { text: string | undefined }>()
    for (const path of new Set(queries.flatMap(({ relevant }) => relevant.map((lines) => lines.path)))) {
      const existing = this.#options.readText(path).catch(onAppError('file_not_found', 'unknown_session'))
      const file = await orUndefined(existing.then((text) => ({ text })))
      if (file) texts.set(path, file)
    }
    return (lines) => {
      const file = texts.get(lines.path)
      return file ? relocateLines(lines, file.text) : { lines, state: 'there' }
    }
  }

  /** Adds queries, or expected lines to existing queries. */
  async #merge(questions: readonly { query: string; relevant: readonly ExpectedLines[] }[]): Promise<void> {
    await this.#change((queries) => {
      const byQuery = new Map(queries.map((savedQuery) => [savedQuery.query, savedQuery]))
      for (const { query, relevant } of questions) {
        const saved = byQuery.get(query)
        // Lines that are added again lose their stored text and get the current one.
        const others = (saved?.relevant ?? []).filter(
          (lines) => !relevant.some((added) => isDeepStrictEqual(withoutText(lines), withoutText(added))),
        )
        byQuery.set(query, {
          id: saved?.id ?? randomUUID(),
          query,
          relevant: [...others, ...relevant.map(withoutText)],
        })
      }
      return [...byQuery.values()]
    })
    await this.#updateExpectedLines()
    this.#changes.emit()
  }

  async #load(): Promise<StoredSearch[]> {
    return parseSavedSearches((await readIfExists(this.#file)) ?? '')
  }

  /** Changes the file after earlier changes. @throws AppError `disk_full`, `write_failed`; then the file is unchanged */
  #change(change: (queries: StoredSearch[]) => StoredSearch[]): Promise<void> {
    return this.#queue.run(this.#file, async () => {
      const text = (await readIfExists(this.#file)) ?? ''
      const before = parseSavedSearches(text)
      const after = change(before)
      if (formatSavedSearches(after) === formatSavedSearches(before)) return
      if (before.length < text.split('\n').filter((line) => line.trim() !== '').length) {
        const copyPath = damagedPath(this.#file)
        await copyFile(this.#file, copyPath)
        this.#options.onFault(new Error(`the file of saved searches had unreadable lines; a copy is at ${copyPath}`))
      }
      await writeDurably(this.#file, formatSavedSearches(after))
    })
  }
}

function withoutText({ path, startLine, endLine }: ExpectedLines): ExpectedLines {
  return { path, startLine, endLine }
}

function withLines(queries: readonly StoredSearch[], update: (lines: ExpectedLines) => ExpectedLines): StoredSearch[] {
  return queries.map((query) => ({ ...query, relevant: query.relevant.map(update) }))
}

/** Skips invalid lines. */
export function parseSavedSearches(text: string): StoredSearch[] {
  return text.split('\n').flatMap((line) => parseStored(storedSearchSchema, line) ?? [])
}

export function formatSavedSearches(queries: readonly StoredSearch[]): string {
  return queries.map((query) => `${JSON.stringify(query)}\n`).join('')
}

/** Changed lines keep their place; without a stored text, the current one is taken. @param text undefined: no file */
export function relocateLines(
  expected: ExpectedLines,
  text: string | undefined,
): { lines: ExpectedLines; state: 'there' | 'changed' | 'gone' } {
  if (text === undefined) return { lines: expected, state: 'gone' }
  const lines = text.split('\n')
  const { startLine, endLine } = expected
  const currentText = lines.slice(startLine - 1, endLine).join('\n')
  if (expected.text === undefined) {
    return startLine > lines.length
      ? { lines: expected, state: 'gone' }
      : { lines: { ...expected, text: currentText }, state: 'there' }
  }
  if (currentText === expected.text) return { lines: expected, state: 'there' }
  const stored = expected.text.split('\n')
  const starts = lines.flatMap((_, index) => (stored.every((line, i) => lines[index + i] === line) ? [index + 1] : []))
  const nearest = starts.sort((one, other) => Math.abs(one - startLine) - Math.abs(other - startLine))[0]
  if (nearest === undefined) return { lines: expected, state: startLine > lines.length ? 'gone' : 'changed' }
  return { lines: { ...expected, startLine: nearest, endLine: nearest + stored.length - 1 }, state: 'there' }
}
