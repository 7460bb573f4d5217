import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { foldCase, isPattern, rulePattern, normalizeRule } from './privacy-rules.ts'

/** Limit for chains of links; Linux follows 40 as well. */
const maxLinks = 40

/**
 * Returns the absolute paths and patterns of rules: as written, and with links resolved up to the first `*`.
 * @param workspace absolute path that relative rules start from
 */
export function resolveRules(workspace: string, rules: readonly string[]): string[] {
  return [...new Set(rules.filter((rule) => rule.trim() !== '').flatMap((rule) => placesOfRule(workspace, rule)))]
}

function placesOfRule(workspace: string, rule: string): string[] {
  const plain = rule.replaceAll('\\', '/')
  const end = plain.endsWith('/') ? '/' : ''
  const steps = resolve(workspace, plain).split(/[\\/]/)
  const wildcardIndex = steps.findIndex(isPattern)
  if (wildcardIndex >= 0) {
    const above = resolveExisting(`${steps.slice(0, wildcardIndex).join('/')}/`)
    return [steps.join('/') + end, [above, ...steps.slice(wildcardIndex)].join('/') + end]
  }
  const place = steps.join('/')
  // A rule can name a note without its extension.
  const notes = end === '' ? [resolveExisting(`${place}.md`)] : []
  return [place + end, resolveExisting(place) + end, ...notes]
}

/** Resolves links; the part of a path that does not exist is appended. */
function resolveExisting(path: string, links = 0): string {
  try {
    return realpathSync(path)
  } catch {
    const target = links < maxLinks ? readDanglingLink(path) : undefined
    if (target !== undefined)
      return resolveExisting(resolve(resolveExisting(dirname(path), links + 1), target), links + 1)
    const above = dirname(path)
    return above === path ? path : join(resolveExisting(above, links), basename(path))
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
 * Returns the rules for a folder: its own rules, and parts of other rules that cover files in it.
 * @param places absolute, as from `resolveRules`
 */
export function rulesForFolder(folder: string, ownRules: readonly string[], places: readonly string[]): string[] {
  if (places.length === 0) return [...ownRules]
  const known = new Set(ownRules.map(normalizeRule))
  const below = [...new Set([folder, resolveExisting(folder)])].flatMap((root) => {
    const steps = stepsOf(foldCase(root))
    return places.flatMap((place) =>
      remainders(stepsOf(place), steps).map(
        (rest) => (rest.length === 0 ? '**' : rest.join('/')) + trailingSlash(place, rest),
      ),
    )
  })
  return [...ownRules, ...new Set(below.filter((rule) => !known.has(normalizeRule(rule))))]
}

function trailingSlash(place: string, rest: readonly string[]): string {
  return place.endsWith('/') && rest.length > 0 ? '/' : ''
}

function stepsOf(path: string): string[] {
  return path.split(/[\\/]/).filter((step) => step !== '')
}

/** Returns the parts of a rule below a folder; an empty part covers the whole folder. */
function remainders(rule: readonly string[], folder: readonly string[]): (readonly string[])[] {
  const [first, ...remainingRule] = rule
  const [step, ...below] = folder
  if (step === undefined || first === undefined) return [rule]
  if (first === '**') return [...remainders(remainingRule, folder), ...remainders(rule, below)]
  const isSame = isPattern(first) ? rulePattern(foldCase(first)).test(step) : foldCase(first) === step
  return isSame ? remainders(remainingRule, below) : []
}
