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
  readonly local: readonly string[]
}

export interface LocalNote extends NoteVisibility {
  /** The rule that makes the whole note local. */
  readonly rule?: string
}

/** Marks a note as local as a whole if a rule covers it. */
export function applyRule(note: NoteVisibility, rule: string | undefined): LocalNote {
  return rule === undefined ? note : { ...note, isWhole: true, lines: new Set(), rule }
}

/** Converts rules with an absolute path inside the folder to relative ones. */
export function relativeRules(folder: string, local: readonly string[]): string[] {
  return local.map((rule) => {
    if (!isAbsolute(rule) || !isInside(folder, rule)) return rule
    const inside = relative(folder, rule).split(sep).join('/')
    return `${inside === '' ? '**' : inside}${/[\\/]$/.test(rule) ? '/' : ''}`
  })
}

/**
 * Returns the first rule that covers a path; undefined if none does. `private` and `private/` cover the folder's files,
 * `private/x` also `private/x.md`. `*` matches any part of a name, `**` any folders. Ignores case.
 */
export function findRule(path: string, rules: readonly string[]): string | undefined {
  if (rules.length === 0) return undefined
  const plain = foldCase(path)
  return rules.find((rule) => {
    const one = normalizeRule(rule)
    if (one === '') return false
    if (isPattern(one)) return rulePattern(one).test(plain)
    return plain === one || plain === `${one}.md` || plain.startsWith(one.endsWith('/') ? one : `${one}/`)
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

const patterns = new Map<string, RegExp>()

/** Returns a regular expression for the path and everything below it. */
export function rulePattern(rule: string): RegExp {
  const known = patterns.get(rule)
  if (known) return known
  const source = rule
    .replace(/\/+$/, '')
    .split(/(\*\*\/|\*+)/)
    .map((part) =>
      part === '**/' ? '(?:.*/)?' : part === '*' ? '[^/]*' : part.startsWith('*') ? '.*' : RegExp.escape(part),
    )
    .join('')
  const compiled = new RegExp(`^${source}(?:\\.md)?(?:/.*)?$`, 's')
  patterns.set(rule, compiled)
  return compiled
}

/** Ignores case, because some disks do not distinguish `Private` and `private`. */
export function foldCase(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

export interface MovedRules {
  readonly during: readonly string[]
  readonly after: readonly string[]
}

/**
 * Updates rules after a move: rules for a moved path name its new path, and a folder that leaves a local folder gets
 * its own rule. Single notes get no rule; they are marked in their front matter.
 */
export function rulesAfterMove(
  rules: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
  isFolder: boolean,
): MovedRules {
  const movedFrom = foldCase(from)
  const followed = rules.map((rule) => {
    const plain = normalizeRule(rule).replace(/\/+$/, '')
    const isAffected = !isPattern(rule) && (plain === movedFrom || plain.startsWith(`${movedFrom}/`))
    if (!isAffected) return rule
    const rest = rule
      .replaceAll('\\', '/')
      .replace(/^(?:\.?\/+)+/, '')
      .split('/')
      .slice(from.split('/').length)
    return [to, ...rest].join('/')
  })
  // The rule has no extension and may also cover a folder.
  if (!isFolder && rules.some((rule) => `${normalizeRule(rule)}.md` === movedFrom)) followed.push(to)
  const isCovered = (path: string, ruleList: readonly string[]) => findRule(path, ruleList) !== undefined
  if (isFolder && isCovered(`${from}/`, rules) && !isCovered(`${to}/`, followed)) followed.push(`${to}/`)
  const after = followed.filter((rule, at) => {
    const others = followed.filter((_, other) => other !== at && (other < at || followed[other] !== rule))
    const isNew = rule !== rules[at]
    return !isNew || !isCovered(rule.endsWith('/') ? rule : `${rule}/`, others)
  })
  return { during: [...rules, ...after.filter((rule) => !rules.includes(rule))], after }
}
