import { join } from 'node:path'
import type { ImportPlan } from '#shared/contract/index.ts'
import { baseOf, Resolver, stemOf, type KnownFile } from '#shared/markdown/links/resolve-link.ts'
import { parseLinks } from '#shared/markdown/links/parse-links.ts'
import { namesOf, parseProperties } from '#shared/markdown/properties/parse-properties.ts'
import { AppError } from '#shared/util/errors.ts'
import { inBatches } from '#platform'
import { isMarkdown, readText } from '#workspace'

const readAtOnce = 64
const maxExamples = 20

type Changed = ImportPlan['existing']

interface OwnNote extends KnownFile {
  readonly links: ReturnType<typeof parseLinks>['links']
}

/**
 * Finds links in existing notes whose target the import changes.
 * @param workspace absolute path @param existing workspace-relative paths of all its files
 * @param made files that the import creates @returns counts, and at most 20 examples each
 */
export async function findRetargetedLinks(
  workspace: string,
  existing: readonly string[],
  made: readonly KnownFile[],
): Promise<Changed> {
  const notes = await inBatches(existing.filter(isMarkdown), readAtOnce, async (path): Promise<OwnNote> => {
    const text = await textAt(join(workspace, path))
    return { path, links: parseLinks(text).links, names: namesOf(parseProperties(text)) }
  })
  const others = existing.filter((path) => !isMarkdown(path)).map((path) => ({ path }))
  const before = new Resolver([...notes, ...others])
  const after = new Resolver([...notes, ...others, ...made])
  const changed: Changed = { elsewhere: none(), found: none(), shared: none() }
  for (const note of notes)
    for (const link of note.links) {
      const [was, is] = [before.resolve(note.path, link), after.resolve(note.path, link)]
      const kind = kindOf(was, is, () => countOf(after, link.target) > countOf(before, link.target))
      if (!kind || !is) continue
      const { count, examples } = changed[kind]
      changed[kind].count = count + 1
      if (examples.length < maxExamples)
        examples.push({ path: note.path, line: link.line, target: link.target, from: was?.path ?? null, to: is.path })
    }
  return changed
}

const none = () => ({ count: 0, examples: [] })

type Led = ReturnType<Resolver['resolve']>

/** @param isShared returns true if more files have the name than before */
function kindOf(was: Led, is: Led, isShared: () => boolean): keyof Changed | undefined {
  if (!is) return undefined
  if (!was) return 'found'
  if (was.path !== is.path) return 'elsewhere'
  return is.by === 'name' && isShared() ? 'shared' : undefined
}

function countOf(resolver: Resolver, target: string): number {
  return resolver.countOf(stemOf(baseOf(target)))
}

/** Returns an empty text for an unreadable note, which then has no links. */
async function textAt(file: string): Promise<string> {
  try {
    return (await readText(file)).text
  } catch (error) {
    if (error instanceof AppError) return ''
    throw error
  }
}
