import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { expandHome } from '#platform'
import type { PrivateRules } from './privacy-rules.ts'

/**
 * Returns the absolute forms of rules: below the workspace, as written, and with links resolved up to the first `*`.
 * @param workspace absolute path that relative rules start from
 */
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

/** Resolves symbolic links in the folders before the first `*`. */
function resolveFixed(path: string): string {
  const [fixed = ''] = path.split(/(?<=[\\/])(?=[^\\/]*\*)/)
  return join(resolveExisting(fixed), path.slice(fixed.length))
}

/**
 * Resolves symbolic links in the part of a path that exists, and appends the other segments unchanged.
 * @param maxLinks limit for chains of dangling links, as in Linux
 */
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
