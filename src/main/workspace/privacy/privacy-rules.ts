import type { NoteVisibility } from '#shared/markdown/visibility.ts'

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

/**
 * Returns the first rule that covers a path; undefined if none does. `private` and `private/` cover the folder's files,
 * `private/x` also `private/x.md`. `*` matches any part of a name, `**` any folders. Ignores case.
 */
export function findRule(path: string, rules: readonly string[]): string | undefined {
  const foldedPath = foldCase(path)
  return rules.find((rule) => {
    const pattern = normalizeRule(rule)
    return pattern !== '' && rulePattern(pattern).test(foldedPath)
  })
}

/** Returns true for a rule with `*`. */
export function isPattern(rule: string): boolean {
  return rule.includes('*')
}

/** Normalizes a rule for comparison with `foldCase`. */
export function normalizeRule(rule: string): string {
  return foldCase(withoutRoot(rule))
}

function withoutRoot(rule: string): string {
  return rule.replaceAll('\\', '/').replace(/^(?:\.?\/+)+/, '')
}

const patternCache = new Map<string, RegExp>()

/** Returns a regular expression for the path and everything below it; without `*` but with a final `/`, only for that. */
export function rulePattern(rule: string): RegExp {
  const cached = patternCache.get(rule)
  if (cached) return cached
  const source = rule
    .replace(/\/+$/, '')
    .split(/(\*\*\/|\*+)/)
    .map(patternSource)
    .join('')
  const isFolder = rule.endsWith('/') && !isPattern(rule)
  const compiled = new RegExp(`^${source}${isFolder ? '/.*' : '(?:\\.md)?(?:/.*)?'}$`, 's')
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

/**
 * Returns the rules to add so that what a folder or file takes along by its path stays private at its new path. A note
 * that only a pattern, a rule for its folder or a rule without its extension covers gets none: its text is marked.
 */
export function rulesForMove(
  rules: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
  isFolder: boolean,
): string[] {
  const depth = from.split('/').length
  const moved = rules.flatMap((rule) => {
    const segments = withoutRoot(rule).split('/')
    const isInMove = !isPattern(rule) && foldCase(segments.slice(0, depth).join('/')) === foldCase(from)
    return isInMove ? [[to, ...segments.slice(depth)].join('/')] : []
  })
  const added = isFolder && findRule(`${from}/`, rules) !== undefined ? [`${to}/`] : moved
  return added.filter((rule) => findRule(rule, rules) === undefined)
}
