import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { hash } from 'node:crypto'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import {
  type NoteVisibility,
  privateLinesOf,
  redactPrivate,
  visibilityOf,
  comparableForms,
  comparableLine,
  isTellingLine,
} from '#shared/markdown/visibility.ts'
import type { DailyNotes } from '#shared/markdown/daily-notes.ts'
import { cached } from '#shared/util/lazy.ts'
import { expandHome } from '#platform'
import { trashFolder } from '../files/layout.ts'

export interface NotesFolder {
  /** Prefix of its paths in requests and results. */
  readonly prefix: string
  readonly privateRules: PrivateRules
  /** By default, notes are dated by names with the year first. */
  readonly daily?: DailyNotes | undefined
}

/** Rules for the notes in a folder. All paths have `/`. */
export interface PrivateRules {
  /** Absolute paths of the folder: as written, and without symbolic links. */
  readonly roots: readonly string[]
  /** Absolute paths and patterns. */
  readonly rules: readonly string[]
}

export interface NotePrivacy extends NoteVisibility {
  readonly rule?: string
}

/**
 * Returns the first rule that covers a path, relative to the folder if it is in it; undefined if none does. `private`
 * and `private/` cover the folder's files, `private/x` also `private/x.md`. `*` matches any part of a name, `**` any
 * folders. Ignores case.
 */
export function findRule(path: string, { roots, rules }: PrivateRules): string | undefined {
  const places = roots.map((root) => keyOf(`${root}/${path}`))
  const rule = rules.find((candidate) => places.some((place) => rulePattern(candidate).test(place)))
  if (rule === undefined) return undefined
  return roots.map((root) => remainderOf(rule, root)?.join('/')).find(Boolean) ?? rule
}

const wildcards = new Map(Object.entries({ '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*' }))

/** Returns a regular expression for the path and everything below it; without `*` but with a final `/`, only for that. */
const rulePattern = cached((rule: string) => {
  const source = keyOf(rule)
    .replace(/\/$/, '')
    .split(/(\*\*\/|\*\*|\*)/)
    .map((part) => wildcards.get(part) ?? RegExp.escape(part))
    .join('')
  const isFolder = rule.endsWith('/') && !rule.includes('*')
  return new RegExp(`^${source}${isFolder ? '/.*' : '(?:\\.md)?(?:/.*)?'}$`, 's')
})

/** Normalizes case and Unicode form, because some disks do not distinguish `Private` and `private`. */
function keyOf(path: string): string {
  return path
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\\/]+/g, '/')
}

/** Returns the segments of a rule below a folder (absolute); undefined if the rule does not start with the folder. */
function remainderOf(rule: string, folder: string): string[] | undefined {
  const segments = rule.split('/')
  const start = segments.splice(0, folder.split('/').length)
  return keyOf(start.join('/')) === keyOf(folder) ? segments : undefined
}

/**
 * Returns the rules to add so that what a folder or file takes along by its path stays private at its new path. A note
 * that only a pattern, a rule for its folder or a rule without its extension covers gets none: its text is marked.
 */
export function rulesForMove(privateRules: PrivateRules, { from, to }: Move, isFolder: boolean): string[] {
  const moved = privateRules.rules.flatMap((rule) => {
    const remainders = privateRules.roots.map((root) => remainderOf(rule, `${root}/${from}`))
    return remainders.flatMap((remainder) => (remainder ? [[to, ...remainder].join('/')] : []))
  })
  const isWhole = isFolder && findRule(`${from}/`, privateRules) !== undefined
  const added = isWhole ? [`${to}/`] : new Set(moved.filter((rule) => !rule.includes('*')))
  return [...added].filter((rule) => findRule(rule, privateRules) === undefined)
}

/** Below the workspace, as written, and with links resolved up to the first `*`. @param workspace absolute */
export function resolveRules(workspace: string, rules: readonly string[]): string[] {
  return rules
    .filter((rule) => rule.trim() !== '')
    .map((rule) => withSlashes(expandHome(rule)))
    .flatMap((rule) => {
      const slash = rule.endsWith('/') ? '/' : ''
      const path = resolve(workspace, rule)
      // A rule can name a note without its extension.
      const names = slash === '' ? [path, `${path}.md`] : [path]
      return [join(workspace, rule), path + slash, ...names.map((name) => resolveFixed(name) + slash)]
    })
}

/** Returns the rules for a folder. @param rules absolute, as returned by `resolveRules` */
export function rulesForFolder(folder: string, rules: readonly string[]): PrivateRules {
  const unique = (paths: readonly string[]) => [...new Set(paths.map(withSlashes))]
  return { roots: unique([resolve(folder), resolveExisting(folder)]), rules: unique(rules) }
}

function withSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}

function resolveFixed(path: string): string {
  const [fixed = ''] = path.split(/(?<=[\\/])(?=[^\\/]*\*)/)
  return join(resolveExisting(fixed), path.slice(fixed.length))
}

/** Appends the part that does not exist unchanged. @param maxLinks limit for chains of dangling links, as in Linux */
function resolveExisting(path: string, maxLinks = 40): string {
  const real = attempt(() => realpathSync(path))
  if (real !== undefined) return real
  const parent = dirname(path)
  const danglingTarget = maxLinks > 0 ? attempt(() => readlinkSync(path)) : undefined
  if (danglingTarget !== undefined)
    return resolveExisting(resolve(resolveExisting(parent, maxLinks - 1), danglingTarget), maxLinks - 1)
  return parent === path ? path : join(resolveExisting(parent, maxLinks), basename(path))
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

export type PrivacyMarks = ReturnType<typeof marksBy>

const inTrash = new RegExp(`^${RegExp.escape(trashFolder)}/[^/]+/`)

/** Reads which text of a file is private, by the marks in the text and the rules for its path. */
export function marksBy(folders: readonly NotesFolder[]) {
  const of = (path: string, text: string): NotePrivacy => {
    const folder = folders.findLast(({ prefix }) => path.startsWith(prefix))
    // A deleted note stays private.
    const rule = folder && findRule(path.slice(folder.prefix.length).replace(inTrash, ''), folder.privateRules)
    const note = visibilityOf(text)
    return rule === undefined ? note : { ...note, isFullyPrivate: true, privateLines: new Set(), rule }
  }
  return {
    of,
    /** Returns the text with a placeholder for each private line; undefined if the whole file is private. */
    openText(path: string, text: string): string | undefined {
      const note = of(path, text)
      return note.isFullyPrivate ? undefined : redactPrivate(text, note)
    },
  }
}

/** Returns a key of a line that does not depend on its marks and, in a log, its time. None without letters and digits. */
export function lineKey(line: string): string[] {
  const plain = comparableForms(line).at(-1) ?? comparableLine(line)
  return /[\p{L}\p{N}]/u.test(plain) ? [hash('sha1', plain, 'base64url').slice(0, 14)] : []
}

interface NoteText {
  readonly path: string
  readonly text: string
}

/**
 * Judges earlier versions of notes by their own marks, by the rules of today and by the lines that were marked later: a
 * line that is private in any note now, or was private in its own note and is not open there now. Call `add` for each
 * note first.
 */
export class EarlierPrivacy {
  readonly #marks: PrivacyMarks
  readonly #privateLines = new Set<string>()
  /** Private lines of a note; undefined if the whole note is private. */
  readonly #privateLinesOf = new Map<number, ReadonlySet<string> | undefined>()

  constructor(marks: PrivacyMarks) {
    this.#marks = marks
  }

  /** @param now the current text, or the last one of a deleted note @param earlier earlier versions */
  add(note: number, now: NoteText, earlier: Iterable<NoteText> = []): void {
    const privateLines = ({ path, text }: NoteText) =>
      privateLinesOf(text, this.#marks.of(path, text)).map(comparableLine)
    const privateNow = new Set(privateLines(now))
    for (const line of privateNow) if (isTellingLine(line)) this.#privateLines.add(line)
    const open = new Set(now.text.split(lineBreak).map(comparableLine)).difference(privateNow)
    const lines = privateNow.union(new Set(Iterator.from(earlier).flatMap(privateLines))).difference(open)
    this.#privateLinesOf.set(note, this.#marks.of(now.path, now.text).isFullyPrivate ? undefined : lines)
  }

  /** Returns a version with a placeholder for each private line; undefined if it is wholly private. */
  openText(note: number, { path, text }: NoteText): string | undefined {
    const privacy = this.#marks.of(path, text)
    const own = this.#privateLinesOf.get(note)
    if (privacy.isFullyPrivate || !own) return undefined
    if (own.size + this.#privateLines.size === 0) return redactPrivate(text, privacy)
    const privateLines = new Set(privacy.privateLines)
    for (const [index, line] of text.split(lineBreak).entries()) {
      const comparable = comparableLine(line)
      // A line such as `---` is in many notes.
      if (!/[\p{L}\p{N}]/u.test(comparable)) continue
      if (own.has(comparable) || this.#privateLines.has(comparable)) privateLines.add(index)
    }
    return redactPrivate(text, { ...privacy, privateLines })
  }
}

/** The line breaks of `redactPrivate`. */
const lineBreak = /\r\n|\n|\r/
