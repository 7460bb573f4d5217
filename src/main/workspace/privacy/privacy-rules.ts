import { isAbsolute, relative, sep } from 'node:path'
import type { NoteVisibility } from '#shared/markdown/visibility.ts'
import { isInside } from '../files/paths.ts'

export interface NotesFolder {
  /** Absolute. */
  readonly folder: string
  /** Prefix of its paths in requests and results. */
  readonly prefix: string
  /** Absolute paths of folders in it that this agent must not use. */
  readonly forbidden: readonly string[]
  /** Rules: path prefixes and patterns. */
  readonly privateRules: readonly string[]
}

export interface NotePrivacy extends NoteVisibility {
  /** The rule that makes the whole note private. */
  readonly rule?: string
}

/** Marks the whole note as private if `rule` is defined. */
export function applyRule(note: NoteVisibility, rule: string | undefined): NotePrivacy {
  return rule === undefined ? note : { ...note, isFullyPrivate: true, privateLines: new Set(), rule }
}

/** Converts rules with an absolute path inside the folder to relative ones. */
export function relativeRules(folder: string, privateRules: readonly string[]): string[] {
  return privateRules.map((rule) => {
    if (!isAbsolute(rule) || !isInside(folder, rule)) return rule
    const relativeRule = relative(folder, rule).split(sep).join('/')
    return `${relativeRule === '' ? '**' : relativeRule}${/[\\/]$/.test(rule) ? '/' : ''}`
  })
}

/**
 * Returns the first rule that covers a path; undefined if none does. `private` and `private/` cover the folder's files,
 * `private/x` also `private/x.md`. `*` matches any part of a name, `**` any folders. Ignores case.
 */
export function findRule(path: string, rules: readonly string[]): string | undefined {
  if (rules.length === 0) return undefined
  const foldedPath = foldCase(path)
  return rules.find((rule) => {
    const prefix = normalizeRule(rule)
    if (prefix === '') return false
    if (isPattern(prefix)) return rulePattern(prefix).test(foldedPath)
    const folderPrefix = prefix.endsWith('/') ? prefix : `${prefix}/`
    return foldedPath === prefix || foldedPath === `${prefix}.md` || foldedPath.startsWith(folderPrefix)
  })
}

/** Returns true for a rule with `*`. */
export function isPattern(rule: string): boolean {
  return rule.includes('*')
}

/** Normalizes a rule for comparison with `foldCase`. */
export function normalizeRule(rule: string): string {
  return foldCase(rule)
    .replaceAll('\\', '/')
    .replace(/^(?:\.?\/+)+/, '')
}

const patternCache = new Map<string, RegExp>()

/** Returns a regular expression for the path and everything below it. */
export function rulePattern(rule: string): RegExp {
  const cached = patternCache.get(rule)
  if (cached) return cached
  const source = rule
    .replace(/\/+$/, '')
    .split(/(\*\*\/|\*+)/)
    .map(patternSource)
    .join('')
  const compiled = new RegExp(`^${source}(?:\\.md)?(?:/.*)?$`, 's')
  patternCache.set(rule, compiled)
  return compiled
}

function patternSource(part: string): string {
  if (part === '**/') return '(?:.*/)?'
  if (part === '*') return '[^/]*'
  return part.startsWith('*') ? '.*' : RegExp.escape(part)
}

/** Normalizes case and Unicode form, because some disks do not distinguish `Private` and `private`. */
export function foldCase(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

export interface MovedRules {
  /** Rules while the move runs: they cover the old and the new path. */
  readonly during: readonly string[]
  readonly after: readonly string[]
}

/**
 * Updates rules after a move: changes rules for a moved path to its new path, and adds a rule for a folder that leaves
 * a private folder. Adds no rule for a single note, which is marked in its front matter instead.
 */
export function rulesAfterMove(
  rules: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
  isFolder: boolean,
): MovedRules {
  const foldedFrom = foldCase(from)
  const updatedRules = rules.map((rule) => {
    const rulePath = normalizeRule(rule).replace(/\/+$/, '')
    const isAffected = !isPattern(rule) && (rulePath === foldedFrom || rulePath.startsWith(`${foldedFrom}/`))
    if (!isAffected) return rule
    const segmentsBelow = rule
      .replaceAll('\\', '/')
      .replace(/^(?:\.?\/+)+/, '')
      .split('/')
      .slice(from.split('/').length)
    return [to, ...segmentsBelow].join('/')
  })
  // A rule without extension may also cover a folder, so it stays and the moved note gets its own.
  if (!isFolder && rules.some((rule) => `${normalizeRule(rule)}.md` === foldedFrom)) updatedRules.push(to)
  const isCovered = (path: string, ruleList: readonly string[]) => findRule(path, ruleList) !== undefined
  if (isFolder && isCovered(`${from}/`, rules) && !isCovered(`${to}/`, updatedRules)) updatedRules.push(`${to}/`)
  const after = updatedRules.filter((rule, index) => {
    const otherRules = updatedRules.filter(
      (other, position) => position < index || (position > index && other !== rule),
    )
    const isNew = rule !== rules[index]
    return !isNew || !isCovered(rule.endsWith('/') ? rule : `${rule}/`, otherRules)
  })
  return { during: [...rules, ...after.filter((rule) => !rules.includes(rule))], after }
}
