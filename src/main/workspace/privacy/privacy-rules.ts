import { isAbsolute, relative, sep } from 'node:path'
import type { NoteVisibility } from '#shared/markdown/visibility.ts'
import { isInside } from '../files/paths.ts'

/** A folder of notes, and what of it the settings keep here. */
export interface NotesFolder {
  /** Absolute. */
  readonly folder: string
  /** What its paths begin with where they are spoken of. */
  readonly prefix: string
  /** Folders inside it that are somebody else's, absolute. */
  readonly forbidden: readonly string[]
  /** Folders and files that are local as a whole, as beginnings of paths. */
  readonly local: readonly string[]
}

/** What is local in one note that has any of it. */
export interface LocalNote extends NoteVisibility {
  /** The folder or file of the settings that says so. */
  readonly rule?: string
}

export function withRule(note: NoteVisibility, rule: string | undefined): LocalNote {
  return rule === undefined ? note : { ...note, isWhole: true, lines: new Set(), rule }
}

/** Rules as they stand in the settings, those that name a place in the folder by where it lies on the disk by its path there. */
export function rulesIn(folder: string, local: readonly string[]): string[] {
  return local.map((rule) => {
    if (!isAbsolute(rule) || !isInside(folder, rule)) return rule
    const inside = relative(folder, rule).split(sep).join('/')
    return `${inside === '' ? '**' : inside}${/[\\/]$/.test(rule) ? '/' : ''}`
  })
}

/**
 * `private` and `private/` keep what lies in the folder, `private/x` also `private/x.md`; however it is written. `*` stands for
 * any part of a name, `**` for any folders.
 */
export function ruleFor(path: string, rules: readonly string[]): string | undefined {
  if (rules.length === 0) return undefined
  const plain = foldedPath(path)
  return rules.find((rule) => {
    const one = plainRule(rule)
    if (one === '') return false
    if (isPattern(one)) return patternOf(one).test(plain)
    return plain === one || plain === `${one}.md` || plain.startsWith(one.endsWith('/') ? one : `${one}/`)
  })
}

/** Whether it has `*`. */
export function isPattern(rule: string): boolean {
  return rule.includes('*')
}

/** As paths are compared: from the folder on. */
export function plainRule(rule: string): string {
  return foldedPath(rule)
    .replaceAll('\\', '/')
    .replace(/^(?:\.?\/+)+/, '')
}

const patterns = new Map<string, RegExp>()

/** The path itself, or a folder above it. */
export function patternOf(rule: string): RegExp {
  const known = patterns.get(rule)
  if (known) return known
  const source = rule
    .replace(/\/+$/, '')
    .split(/(\*\*\/|\*+)/)
    .map((part) =>
      part === '**/' ? '(?:.*/)?' : part === '*' ? '[^/]*' : part.startsWith('*') ? '.*' : RegExp.escape(part),
    )
    .join('')
  const made = new RegExp(`^${source}(?:\\.md)?(?:/.*)?$`, 's')
  patterns.set(rule, made)
  return made
}

/** Some disks know but one of `Private` and `private`. */
export function foldedPath(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

/** What a move makes of rules. */
export interface MovedRules {
  /** In force while it moves: the old ones and the new. */
  readonly during: readonly string[]
  readonly after: readonly string[]
}

/**
 * Rules that name what moves follow it; a folder that is moved out of a local one gets a rule of its own. Notes are left to
 * themselves: they say it in their front matter.
 */
export function movedRules(
  rules: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
  isFolder: boolean,
): MovedRules {
  const place = foldedPath(from)
  const followed = rules.map((rule) => {
    const plain = plainRule(rule).replace(/\/+$/, '')
    const isOfIt = !isPattern(rule) && (plain === place || plain.startsWith(`${place}/`))
    if (!isOfIt) return rule
    const rest = rule
      .replaceAll('\\', '/')
      .replace(/^(?:\.?\/+)+/, '')
      .split('/')
      .slice(from.split('/').length)
    return [to, ...rest].join('/')
  })
  // The name without its ending may be a folder’s as well.
  if (!isFolder && rules.some((rule) => `${plainRule(rule)}.md` === place)) followed.push(to)
  const isCovered = (path: string, by: readonly string[]) => ruleFor(path, by) !== undefined
  if (isFolder && isCovered(`${from}/`, rules) && !isCovered(`${to}/`, followed)) followed.push(`${to}/`)
  const after = followed.filter((rule, at) => {
    const others = followed.filter((_, other) => other !== at && (other < at || followed[other] !== rule))
    const isNew = rule !== rules[at]
    return !isNew || !isCovered(rule.endsWith('/') ? rule : `${rule}/`, others)
  })
  return { during: [...rules, ...after.filter((rule) => !rules.includes(rule))], after }
}
