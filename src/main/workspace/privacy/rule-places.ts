import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { foldedPath, isPattern, patternOf, plainRule } from './privacy-rules.ts'

/** Links that lead to links; the system itself follows no more. */
const maxLinks = 40

/**
 * The places that rules name, absolute: as they are written, and where links in them lead, up to the first `*`.
 * @param workspace whose rules they are: relative ones begin there
 */
export function placesOf(workspace: string, rules: readonly string[]): string[] {
  return [...new Set(rules.filter((rule) => rule.trim() !== '').flatMap((rule) => placesOfRule(workspace, rule)))]
}

function placesOfRule(workspace: string, rule: string): string[] {
  const plain = rule.replaceAll('\\', '/')
  const end = plain.endsWith('/') ? '/' : ''
  const steps = resolve(workspace, plain).split(/[\\/]/)
  const wild = steps.findIndex(isPattern)
  if (wild >= 0) {
    const above = realPlace(`${steps.slice(0, wild).join('/')}/`)
    return [steps.join('/') + end, [above, ...steps.slice(wild)].join('/') + end]
  }
  const place = steps.join('/')
  // A note may be named without its ending.
  const notes = end === '' ? [realPlace(`${place}.md`)] : []
  return [place + end, realPlace(place) + end, ...notes]
}

/** Where it lies, or would lie if it were there. */
function realPlace(path: string, links = 0): string {
  try {
    return realpathSync(path)
  } catch {
    const target = links < maxLinks ? linkAt(path) : undefined
    if (target !== undefined) return realPlace(resolve(realPlace(dirname(path), links + 1), target), links + 1)
    const above = dirname(path)
    return above === path ? path : join(realPlace(above, links), basename(path))
  }
}

/** Where a link leads that leads to nothing. */
function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined
  }
}

/** The rules that hold in a folder: its own, and what of these places lies there. */
export function rulesAt(folder: string, own: readonly string[], places: readonly string[]): string[] {
  if (places.length === 0) return [...own]
  const known = new Set(own.map(plainRule))
  const below = [...new Set([folder, realPlace(folder)])].flatMap((root) => {
    const steps = stepsOf(foldedPath(root))
    return places.flatMap((place) =>
      restsOf(stepsOf(place), steps).map((rest) => (rest.length === 0 ? '**' : rest.join('/')) + endOf(place, rest)),
    )
  })
  return [...own, ...new Set(below.filter((rule) => !known.has(plainRule(rule))))]
}

function endOf(place: string, rest: readonly string[]): string {
  return place.endsWith('/') && rest.length > 0 ? '/' : ''
}

function stepsOf(path: string): string[] {
  return path.split(/[\\/]/).filter((step) => step !== '')
}

/** What is left of a rule below a folder; nothing is left of one that holds for all of it. */
function restsOf(rule: readonly string[], folder: readonly string[]): (readonly string[])[] {
  const [first, ...more] = rule
  const [step, ...below] = folder
  if (step === undefined || first === undefined) return [rule]
  if (first === '**') return [...restsOf(more, folder), ...restsOf(rule, below)]
  const isSame = isPattern(first) ? patternOf(foldedPath(first)).test(step) : foldedPath(first) === step
  return isSame ? restsOf(more, below) : []
}
