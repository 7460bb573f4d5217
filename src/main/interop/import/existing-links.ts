import { join } from 'node:path'
import type { ImportPlan } from '#shared/contract/index.ts'
import { fileNameOf, Resolver, stemOf, type KnownFile } from '#shared/markdown/links/resolve-link.ts'
import { parseLinks } from '#shared/markdown/links/parse-links.ts'
import { namesOf, parseProperties } from '#shared/markdown/properties/parse-properties.ts'
import { AppError } from '#shared/util/errors.ts'
import { inBatches } from '#platform'
import { isMarkdown, readText } from '#workspace'

const readAtOnce = 64
const maxExamples = 20

type RetargetedLinks = ImportPlan['existing']

interface OwnNote extends KnownFile {
  readonly links: ReturnType<typeof parseLinks>['links']
}

/**
 * Finds links in existing notes whose target the import changes.
 * @param workspace absolute path @param existing workspace-relative paths of all its files
 * @param newFiles files that the import creates @returns counts, and at most 20 examples each
 */
export async function findRetargetedLinks(
  workspace: string,
  existing: readonly string[],
  newFiles: readonly KnownFile[],
): Promise<RetargetedLinks> {
  const notes = await inBatches(existing.filter(isMarkdown), readAtOnce, async (path): Promise<OwnNote> => {
    const text = await readTextOrEmpty(join(workspace, path))
    return { path, links: parseLinks(text).links, names: namesOf(parseProperties(text)) }
  })
  const others = existing.filter((path) => !isMarkdown(path)).map((path) => ({ path }))
  const before = new Resolver([...notes, ...others])
  const after = new Resolver([...notes, ...others, ...newFiles])
  const changed: RetargetedLinks = { elsewhere: emptyGroup(), found: emptyGroup(), shared: emptyGroup() }
  for (const note of notes)
    for (const link of note.links) {
      const [oldTarget, newTarget] = [before.resolve(note.path, link), after.resolve(note.path, link)]
      const kind = retargetKind(oldTarget, newTarget, () => countOf(after, link.target) > countOf(before, link.target))
      if (!kind || !newTarget) continue
      const { count, examples } = changed[kind]
      changed[kind].count = count + 1
      if (examples.length < maxExamples)
        examples.push({
          path: note.path,
          line: link.line,
          target: link.target,
          from: oldTarget?.path ?? null,
          to: newTarget.path,
        })
    }
  return changed
}

const emptyGroup = () => ({ count: 0, examples: [] })

type LinkTarget = ReturnType<Resolver['resolve']>

/** @param isShared returns true if more files have the name than before */
function retargetKind(
  oldTarget: LinkTarget,
  newTarget: LinkTarget,
  isShared: () => boolean,
): keyof RetargetedLinks | undefined {
  if (!newTarget) return undefined
  if (!oldTarget) return 'found'
  if (oldTarget.path !== newTarget.path) return 'elsewhere'
  return newTarget.by === 'name' && isShared() ? 'shared' : undefined
}

function countOf(resolver: Resolver, target: string): number {
  return resolver.countOf(stemOf(fileNameOf(target)))
}

/** Returns an empty text for an unreadable note, which then has no links. */
async function readTextOrEmpty(file: string): Promise<string> {
  try {
    return (await readText(file)).text
  } catch (error) {
    if (error instanceof AppError) return ''
    throw error
  }
}
