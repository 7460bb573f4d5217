import { join } from 'node:path'
import type { ImportPlan } from '#shared/contract/index.ts'
import { fileNameOf, Resolver, stemOf, type KnownFile } from '#shared/markdown/links/resolve-link.ts'
import { parseLinks } from '#shared/markdown/links/parse-links.ts'
import { namesOf, parseProperties } from '#shared/markdown/properties/parse-properties.ts'
import { orUndefined } from '#shared/util/errors.ts'
import { inBatches } from '#platform'
import { isMarkdown, readText } from '#workspace'

const batchSize = 64
const maxExamples = 20

type RetargetedLinks = ImportPlan['existing']

/**
 * Finds links in existing notes whose target the import changes.
 * @param workspace absolute path @param paths existing files, workspace-relative
 * @param newFiles files that the import creates @returns counts, and at most 20 examples each
 */
export async function findRetargetedLinks(
  workspace: string,
  paths: readonly string[],
  newFiles: readonly KnownFile[],
): Promise<RetargetedLinks> {
  const notes = await inBatches(paths.filter(isMarkdown), batchSize, async (path) => {
    // An unreadable note has no links.
    const { text } = (await orUndefined(readText(join(workspace, path)))) ?? { text: '' }
    return { path, links: parseLinks(text).links, names: namesOf(parseProperties(text)) }
  })
  const otherFiles = paths.filter((path) => !isMarkdown(path)).map((path) => ({ path }))
  const before = new Resolver([...notes, ...otherFiles])
  const after = new Resolver([...notes, ...otherFiles, ...newFiles])
  const retargeted: RetargetedLinks = { elsewhere: emptyGroup(), found: emptyGroup(), shared: emptyGroup() }
  for (const note of notes)
    for (const link of note.links) {
      const [oldTarget, newTarget] = [before.resolve(note.path, link), after.resolve(note.path, link)]
      if (!newTarget) continue
      const { line, target } = link
      const name = stemOf(fileNameOf(target))
      const isShared = newTarget.by === 'name' && after.countOf(name) > before.countOf(name)
      const isSame = oldTarget?.path === newTarget.path
      if (isSame && !isShared) continue
      const group = retargeted[isSame ? 'shared' : oldTarget ? 'elsewhere' : 'found']
      group.count += 1
      if (group.examples.length < maxExamples)
        group.examples.push({ path: note.path, line, target, from: oldTarget?.path ?? null, to: newTarget.path })
    }
  return retargeted
}

const emptyGroup = () => ({ count: 0, examples: [] })
