import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { foldCase, isPattern, rulePattern, normalizeRule } from './privacy-rules.ts'

/** Limit for chains of symbolic links, as in Linux. */
const maxLinks = 40

/**
 * Returns the absolute paths and patterns of rules: as written, and with links resolved up to the first `*`.
 * @param workspace absolute path that relative rules start from
 */
export function resolveRules(workspace: string, rules: readonly string[]): string[] {
  return [...new Set(rules.filter((rule) => rule.trim() !== '').flatMap((rule) => absoluteFormsOf(workspace, rule)))]
}

function absoluteFormsOf(workspace: string, rule: string): string[] {
  const normalized = rule.replaceAll('\\', '/')
  const slash = normalized.endsWith('/') ? '/' : ''
  const segments = resolve(workspace, normalized).split(/[\\/]/)
  const path = segments.join('/')
  const wildcardIndex = segments.findIndex(isPattern)
  if (wildcardIndex >= 0) {
    const parent = resolveExisting(`${segments.slice(0, wildcardIndex).join('/')}/`)
    return [path + slash, [parent, ...segments.slice(wildcardIndex)].join('/') + slash]
  }
  // A rule can name a note without its extension.
  const notePaths = slash === '' ? [resolveExisting(`${path}.md`)] : []
  return [path + slash, resolveExisting(path) + slash, ...notePaths]
}

/** Resolves symbolic links in the part of a path that exists, and appends the other segments unchanged. */
function resolveExisting(path: string, linkCount = 0): string {
  try {
    return realpathSync(path)
  } catch {
    const target = linkCount < maxLinks ? readDanglingLink(path) : undefined
    if (target !== undefined)
      return resolveExisting(resolve(resolveExisting(dirname(path), linkCount + 1), target), linkCount + 1)
    const parent = dirname(path)
    return parent === path ? path : join(resolveExisting(parent, linkCount), basename(path))
  }
}

/** Returns the target of a dangling link; undefined for other paths. */
function readDanglingLink(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the rules for a folder: its own rules, and the parts of other rules that cover files in it.
 * @param otherRules absolute, as returned by `resolveRules`
 */
export function rulesForFolder(folder: string, ownRules: readonly string[], otherRules: readonly string[]): string[] {
  if (otherRules.length === 0) return [...ownRules]
  const normalizedOwnRules = new Set(ownRules.map(normalizeRule))
  const inheritedRules = [...new Set([folder, resolveExisting(folder)])].flatMap((root) => {
    const folderSegments = segmentsOf(foldCase(root))
    return otherRules.flatMap((rule) =>
      remainders(segmentsOf(rule), folderSegments).map((remainder) =>
        remainder.length === 0 ? '**' : remainder.join('/') + (rule.endsWith('/') ? '/' : ''),
      ),
    )
  })
  return [...ownRules, ...new Set(inheritedRules.filter((rule) => !normalizedOwnRules.has(normalizeRule(rule))))]
}

function segmentsOf(path: string): string[] {
  return path.split(/[\\/]/).filter((segment) => segment !== '')
}

/** Returns the parts of a rule below a folder; an empty part covers the whole folder. */
function remainders(rule: readonly string[], folder: readonly string[]): (readonly string[])[] {
  const [ruleSegment, ...ruleRemainder] = rule
  const [folderSegment, ...subfolders] = folder
  if (folderSegment === undefined || ruleSegment === undefined) return [rule]
  if (ruleSegment === '**') return [...remainders(ruleRemainder, folder), ...remainders(rule, subfolders)]
  const key = foldCase(ruleSegment)
  const isMatch = isPattern(ruleSegment) ? rulePattern(key).test(folderSegment) : key === folderSegment
  return isMatch ? remainders(ruleRemainder, subfolders) : []
}
