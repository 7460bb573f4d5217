import type { NoteLink } from '#shared/markdown/links/parse-links.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import type { TagRename } from '#shared/markdown/properties/property-test.ts'
import { serveWorker } from '#platform'
import { LinkIndex } from './link-index.ts'
import { blockOf, brokenLinks, resolveLink, linksOf, notePropertiesOf, titlesOf } from './link-lists.ts'
import { completeLink } from './link-names.ts'
import { planMove, planTagRename } from '../transactions/plan-move.ts'
import { formatFileLink, type LinkConventions, type LinkStyle } from './format-link.ts'

export interface LinkRequest {
  readonly workspace: string
  readonly forbidden: readonly string[]
  readonly isStale: boolean
  readonly conventions: LinkConventions
}

export type FormatInput = Parameters<typeof formatFileLink>[1] & { readonly style?: LinkStyle | undefined }

/** Maximum age of the index, ms. Detects changes that no watcher reports. */
const maxAgeMs = 5000

function createJobs() {
  let index: LinkIndex | undefined
  let refreshedAt = -Infinity
  let refreshing: Promise<unknown> = Promise.resolve()

  async function refreshIndex({ workspace, forbidden, isStale, conventions }: LinkRequest): Promise<LinkIndex> {
    index ??= new LinkIndex(workspace)
    const currentIndex = index
    currentIndex.conventions = conventions
    if (isStale || performance.now() - refreshedAt >= maxAgeMs) {
      refreshedAt = performance.now()
      refreshing = refreshing.catch(() => undefined).then(() => currentIndex.refresh(forbidden))
    }
    try {
      await refreshing
    } catch (error) {
      refreshedAt = -Infinity
      throw error
    }
    return currentIndex
  }

  function job<Input, Result>(work: (index: LinkIndex, input: LinkRequest & Input) => Result) {
    return async (input: LinkRequest & Input) => work(await refreshIndex(input), input)
  }

  return {
    linksOf: job((index, { path }: { path: string }) => linksOf(index, path)),
    resolve: job((index, { path, link }: { path: string; link: Pick<NoteLink, 'kind' | 'target' | 'fragment'> }) =>
      resolveLink(index, path, link),
    ),
    files: job((index) =>
      Array.from(index.files.values(), ({ path, names = [] }) =>
        names.length === 0 ? { path } : { path, names: [...names] },
      ),
    ),
    titles: job((index) => titlesOf(index)),
    block: job((index, { id }: { id: string }) => blockOf(index, id)),
    broken: job((index) => brokenLinks(index)),
    formatLink: job((index, { style = index.conventions, ...link }: FormatInput) =>
      formatFileLink(index.resolver, link, style),
    ),
    names: job((index, { path, typed }: { path: string; typed: string }) => completeLink(index, path, typed)),
    properties: job((index, { path }: { path: string }) => notePropertiesOf(index, path)),
    planTagRename: job((index, { rename, forbidden }: LinkRequest & { rename: TagRename }) =>
      planTagRename(index, rename, forbidden),
    ),
    planMove: job((index, { move, forbidden }: LinkRequest & { move: Move }) => planMove(index, move, forbidden)),
  }
}

export type LinkJobs = ReturnType<typeof createJobs>

serveWorker(createJobs)
