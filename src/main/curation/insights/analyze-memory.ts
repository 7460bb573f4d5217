/** Reads every file of a memory and counts what was recalled of it, what never was, and what is there twice. */
import { join } from 'node:path'
import type { MemoryScope, Survey, SurveyedFile, SurveyedLine, SurveyStep } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { longTermFile, projectContextFiles, unsearchedOf, type Layout, readText, walkMarkdown } from '#workspace'
import { duplicatesAmong } from './duplicate-report.ts'
import { countRecalls, type ShownPassage } from './recalled-lines.ts'

export interface SurveyRequest {
  readonly workspace: string
  /** Folders inside it that are somebody else's. */
  readonly forbidden: readonly string[]
  /** What of it is searched. */
  readonly scope: MemoryScope
  readonly layout: Layout
  /** Files that the index could not read, with the reason. */
  readonly unreadable: readonly (readonly [path: string, message: string])[]
  readonly passages: readonly RecalledPassage[]
  /** The model that tells what says the same in other words. */
  readonly builtinFile: string
  readonly now: number
}

export interface RecalledPassage extends ShownPassage {
  readonly path: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export const staleDays = 90
const dayMs = 86_400_000
const tellEvery = 100
const maxLines = 200
/** Of a line, as it is told. */
const maxCharacters = 400

export async function* takeSurvey({
  workspace,
  forbidden,
  scope,
  layout,
  unreadable,
  passages,
  now,
  builtinFile,
}: SurveyRequest): AsyncGenerator<SurveyStep> {
  const messages = new Map(unreadable)
  const inContext = new Set([longTermFile(layout), ...projectContextFiles(layout)])
  const { files } = await walkMarkdown(workspace, undefined, forbidden)
  const byPath = Map.groupBy(passages, ({ path }) => path)
  const surveyed: SurveyedFile[] = []
  const recalled: Survey['mostRecalled'] = []
  const never: SurveyedLine[] = []
  const all: SurveyedLine[] = []
  let neverCount = 0
  for (const [index, { path, size, modifiedAt }] of files.entries()) {
    if (index % tellEvery === 0) yield { type: 'progress', done: index, total: files.length }
    const text = await textOf(join(workspace, path), path)
    if (text === undefined) continue
    const lines = text.split('\n')
    const shown = byPath.get(path) ?? []
    const counts = countRecalls(lines, shown)
    const isInContext = inContext.has(path)
    const searched = unsearchedOf(path, scope, messages, layout)
    surveyed.push({
      path,
      size,
      lines: lines.length,
      recalls: new Set(shown.map(({ search }) => search)).size,
      recalledAt: shown.length === 0 ? null : Math.max(...shown.map(({ at }) => at)),
      modifiedAt,
      isInContext,
      ...searched,
    })
    for (const [at, line] of lines.entries()) {
      const trimmed = line.trim()
      if (trimmed === '' || trimmed.startsWith('#')) continue
      const place = { path, line: at + 1, text: trimmed.slice(0, maxCharacters).toWellFormed() }
      all.push(place)
      const recalls = counts.get(at)
      if (recalls !== undefined) recalled.push({ ...place, recalls })
      else if (!isInContext && !searched.unsearched) {
        neverCount += 1
        never.push(place)
      }
    }
  }
  yield { type: 'progress', done: files.length, total: files.length }
  const counted = {
    searches: new Set(passages.map(({ search }) => search)).size,
    files: surveyed,
    mostRecalled: recalled.sort((one, other) => other.recalls - one.recalls).slice(0, maxLines),
    neverRecalled: {
      count: neverCount,
      of: all.length,
      longest: never.sort((one, other) => other.text.length - one.text.length).slice(0, maxLines),
    },
    stale: surveyed
      .filter(
        ({ recalls, isInContext, unsearched, modifiedAt }) =>
          recalls === 0 && !isInContext && !unsearched && now - modifiedAt > staleDays * dayMs,
      )
      .sort((one, other) => one.modifiedAt - other.modifiedAt),
    staleDays,
  }
  yield { type: 'counted', survey: counted }
  yield { type: 'done', survey: { ...counted, duplicates: await duplicatesAmong(all, builtinFile) } }
}

/** What cannot be read is no part of the memory that can be recalled. */
async function textOf(file: string, path: string): Promise<string | undefined> {
  try {
    return (await readText(file, path)).text
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
