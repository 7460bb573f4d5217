/** How a link to a note is written anew: as briefly as it is understood everywhere. Pure. */
import { baseOf, relativePath, stemOf, type Resolver } from '../../shared/links/index.ts'

/** What stands in `[[…]]`: its name where no other has it, else its path. */
export function wikiTarget(resolver: Resolver, from: string, path: string): string {
  const name = stemOf(baseOf(path))
  const isOnly = resolver.countOf(name) === 1 && resolver.resolve(from, { kind: 'wiki', target: name })?.path === path
  return isOnly ? name : stemOf(path)
}

/** What stands in `](…)`: the way from the note that it stands in. */
export function inlineTarget(_: Resolver, from: string, path: string): string {
  return encodeURI(relativePath(from, path).toWellFormed()).replaceAll(
    /[()#?]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
