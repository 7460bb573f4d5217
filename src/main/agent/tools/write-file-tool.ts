import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { secretsIn } from '#shared/util/secrets.ts'
import {
  dailyLogDate,
  dailyLogPath,
  endsInPrivateText,
  fileKind,
  followerOf,
  localDate,
  localTime,
  longTermFile,
  type Workspace,
} from '#workspace'

import { appendBlock } from '#shared/markdown/log-entry.ts'
import {
  hasSourceMark,
  isCoveredBy,
  sourceMark,
  sourceName,
  sourcesIn,
  withSource,
} from '#shared/markdown/provenance.ts'
import { withAddedSource } from '#shared/markdown/provenance-edit.ts'
import { createUserTextMatcher } from '#shared/markdown/user-text.ts'
import { privateLinesOf, redactPrivate, redactionPlaceholder, visibilityOf } from '#shared/markdown/visibility.ts'
import { addedLines, hasContent, withAddedPrivate } from '#shared/markdown/visibility-edit.ts'
import { defineTool, pathParameter, type ToolContext, type ToolOutcome } from './tool.ts'

export const writeFileTool = defineTool({
  name: 'write',
  description: `Creates a note (.md, .markdown), replaces it, or (append: true) adds to its end. Daily logs (memory/YYYY-MM-DD.md) can only be appended to: add one line "- HH:MM text", or "## HH:MM - Title" and the text below it if it is longer.`,
  readOnly: false,
  parameters: z.object({
    path: pathParameter,
    content: z.string(),
    append: z.boolean().optional().describe('Add to the end instead of replacing'),
  }),
  async run({ path: requestedPath, content, append = false }, context) {
    const write = await editNote(requestedPath, context, (current, path) =>
      append ? appendText(dailyLogDate(path, context.workspace.layout), current, content, context.now()) : content,
    )
    return changeOutcome(write, context)
  },
})

/**
 * Edits a note for a model. Daily logs can only be appended to.
 * @param rewrite edits the text that the model may see; of a fully private file, it gets undefined if `needsExistingText`
 * @throws AppError `input_invalid` if it changes the text of a log; as `assertMayWrite`, `applyEdit`, `withOrigin` and
 * `Workspace.edit`
 */
export async function editNote(
  requestedPath: string,
  context: ToolContext,
  rewrite: (visibleText: string | undefined, path: string) => string,
  needsExistingText = false,
) {
  const { workspace, shortenEntries, sources } = context
  const path = await workspace.realPath(requestedPath)
  await assertMayWrite(path, context)
  const isLog = dailyLogDate(path, workspace.layout) !== undefined
  const origin = { ...context.origin, sources: context.origin.sources }
  return workspace.edit(path, origin, async (current) => {
    const rewriteShown = (shown: string | undefined) => {
      const after = rewrite(shown, path)
      if (!isLog) return after
      const [before, added] = splitAppended(path, shown ?? '', after)
      const kept = shortenEntries?.(added, before) ?? added
      if (before + kept === '') throw new AppError('input_invalid', 'nothing in it is about this chat', { path })
      return before + kept
    }
    const edited = applyEdit(path, current, rewriteShown, context, needsExistingText)
    const text = await withOrigin(path, current, edited, context)
    const added = addedLines(current ?? '', text)
    // The words of the user get no mark.
    const isMarked = added.some(([, line]) => hasSourceMark(line) || line.startsWith('source: '))
    origin.sources = isMarked ? sources.map(sourceName) : undefined
    return text
  })
}

/** Returns the old text of a log, and the text after it. @throws AppError `input_invalid` if the old text changes */
function splitAppended(path: string, before: string, after: string): [string, string] {
  const kept = before.trimEnd()
  // The model's text has other line ends than some files.
  const start = [kept, kept.replaceAll('\r\n', '\n')].find((text) => after.startsWith(text))
  const added = after.slice(start?.length)
  if (start === '' || (start !== undefined && /^[^\S\n]*(?:\n|$)/.test(added))) return [kept, added]
  throw new AppError(
    'input_invalid',
    `${path} is a daily log: its text stays as it is. Append a new entry with write and append: true; if it replaces an earlier one, name the line, for example: - 10:30 Rust over C (replaces ${path}:12)`,
    { path },
  )
}

/** Returns the outcome of an edit. Its text is the path and the number of changed lines. */
export async function changeOutcome(
  write: Parameters<Workspace['describe']>[0],
  { workspace, signal }: ToolContext,
): Promise<ToolOutcome> {
  const change = await workspace.describe(write, signal)
  const lines = [`${write.path}: ${change.added} lines added, ${change.removed} removed`]
  if (secretsIn(write.after ?? '').length > secretsIn(write.before ?? '').length)
    lines.push('It looks like a secret. Tell the user that every chat can read it unless it is made private.')
  return { text: lines.join('\n'), details: { kind: 'change', change } }
}

/** Returns the new text of a file. @param date day of a daily log; undefined for other files */
function appendText(date: string | undefined, current: string | undefined, content: string, at: Date): string {
  if (date === undefined) {
    const before = current ? current.replace(/\n*$/, '\n') : ''
    return `${before}${before === '' || !content.startsWith('#') ? '' : '\n'}${content.replace(/\n*$/, '\n')}`
  }
  const before = current || `# ${date}\n`
  const heading = content.startsWith('#') || !endsInPrivateText(before) ? '' : `## ${localTime(at)}\n`
  return appendBlock(before, heading + content)
}

/** @throws AppError `path_outside_workspace`; `input_invalid` for a new file whose name has `YYYY-MM-DD` for the day */
async function assertMayWrite(path: string, { mayWrite, workspace, now }: ToolContext): Promise<void> {
  if (!mayWrite(path)) {
    const allowed = `only ${longTermFile(workspace.layout)} and files below memory/ can be written now`
    throw new AppError('path_outside_workspace', `${path}: ${allowed}`, { path })
  }
  if (!/YYYY[^\d/]?MM[^\d/]?DD/i.test(path) || (await workspace.exists(path))) return
  const reason = `${path} has YYYY-MM-DD for the day; today's log is ${dailyLogPath(localDate(now()), workspace.layout)}`
  throw new AppError('input_invalid', reason, { reason })
}

const logHeading = /^#{1,2} (?:\d{4}-\d{2}-\d{2}|\d{2}:\d{2})$/

/**
 * Applies an edit of the model and returns the text to write. What a private chat writes is private. An open chat must
 * not remove or publish private lines.
 * @throws AppError `private_lines`
 */
function applyEdit(
  path: string,
  before: string | undefined,
  rewrite: (shown: string | undefined) => string,
  { visible, workspace }: ToolContext,
  needsExistingText: boolean,
): string {
  if (visible.seesPrivate) {
    const isPrivateByRule = visible.marks.of(path, before ?? '').rule !== undefined
    const isShared = fileKind(path, workspace.layout) !== 'note'
    return isPrivateByRule ? rewrite(before) : withAddedPrivate(before, rewrite(before), isShared)
  }
  if (before === undefined) return rewrite(undefined)
  const note = visible.marks.of(path, before)
  if (note.isFullyPrivate && needsExistingText) return rewrite(undefined)
  const shown = redactPrivate(before, note)
  const after = rewrite(shown)
  if (shown === before) return after
  const restored = withRestoredLines(before, shown, after)
  if (restored !== undefined && keepsPrivateLines(before, restored)) return restored
  const message = `${path} has private lines: an open chat may add to it, but must keep every line that it is not shown`
  throw new AppError('private_lines', message, { path })
}

/**
 * Marks text of untrusted sources. The user must approve changes of existing lines and of files with followers.
 * @throws AppError `write_proposed`
 */
async function withOrigin(
  path: string,
  before: string | undefined,
  after: string,
  { sources, userText, propose, now, workspace: { layout } }: ToolContext,
): Promise<string> {
  const follower = followerOf(path, layout.own)
  if (before === after || (sources.length === 0 && follower !== 'other')) return after
  const isTyped = createUserTextMatcher(userText)
  const isOwn = (line: string) => logHeading.test(line) || isTyped(line)
  const isAdded = addedLines(before ?? '', after).some(([, line]) => hasContent(line) && !isOwn(line))
  const isRemoved = addedLines(after, before ?? '').some(([, line]) => line.trim() !== '')
  // The user chose the imports.
  const mustAskForRemoval = sources.some(({ kind }) => kind !== 'import')
  const mustAsk = follower === 'this' ? isAdded || isRemoved : isRemoved && mustAskForRemoval
  if (follower === 'other' || mustAsk) {
    await propose({ path, before, after, sources })
    const from = sources.map(sourceName).join('; ')
    const elsewhere = `some of this conversation comes from elsewhere (${from})`
    const reason = from === '' ? 'other programs follow files of this name as instructions' : elsewhere
    const message = `${path} was not changed: ${reason}, so the change waits in the inbox until the user accepts it`
    throw new AppError('write_proposed', message, { path })
  }
  if (!isAdded) return after
  const kind = fileKind(path, layout)
  const day = localDate(now())
  if ((before === undefined || before.trim() === '') && kind === 'note') return withSource(after, sources, day)
  const isCovered = (line: string) => isCoveredBy(sourcesIn(line), sources) || isOwn(line)
  return withAddedSource(before ?? '', after, sourceMark(sources, day), isCovered)
}

/** Puts the original lines back in place of the placeholders; undefined if their number has changed. */
function withRestoredLines(before: string, shown: string, after: string): string | undefined {
  const isPlaceholder = (line: string | undefined) => line?.trim() === redactionPlaceholder
  const shownLines = shown.split(/\r?\n/)
  const originals = before.split(/\r?\n/).filter((_, index) => isPlaceholder(shownLines[index]))
  let next = 0
  const lines = after.split('\n').map((line) => {
    if (!isPlaceholder(line)) return line
    return (originals[next++] ?? '') + (line.endsWith('\r') ? '\r' : '')
  })
  return next === originals.length ? lines.join('\n') : undefined
}

/** Returns true if all private lines of `before` are in `after`, in their order and still private. */
function keepsPrivateLines(before: string, after: string): boolean {
  const lines = privateLinesOf(after, visibilityOf(after))
  let next = 0
  return privateLinesOf(before, visibilityOf(before)).every((line) => {
    next = lines.indexOf(line, next) + 1
    return next > 0
  })
}
