/** Entry of the thread that knows what links to what in one workspace. */
import { type } from '@orpc/server'
import type { NoteLink } from '#shared/markdown/links/parse-links.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import type { TagRename } from '#shared/markdown/properties/rename-tag.ts'
import { serveThread, threadBase } from '#platform'
import { LinkIndex } from './link-index.ts'
import { blockOf, brokenLinks, leadsTo, linksOf, titlesOf } from './link-lists.ts'
import { mentionsOf } from './mentions.ts'
import { namesFor } from './link-names.ts'
import { linksAround } from './neighborhood.ts'
import type { NewNotes } from './new-linked-note.ts'
import { planMove, planTagRename } from '../transactions/plan-move.ts'
import { listTags, propertiesOf } from './tag-lists.ts'
import { linkTo, type LinkStyle } from './format-link.ts'

/** The workspace, and how old what is known of it may be. */
export interface Asked extends NewNotes, LinkStyle {
  readonly workspace: string
  readonly forbidden: readonly string[]
  /** True when files are known to have changed. */
  readonly isStale: boolean
}

/** What nobody told of is seen after this, ms. */
const maxAgeMs = 5000

let index: LinkIndex | undefined
let lookedAt = -Infinity
/** One look after another. */
let looking: Promise<unknown> = Promise.resolve()

async function current({
  workspace,
  forbidden,
  isStale,
  newNotes,
  isFlat,
  links,
  linkPaths,
}: Asked): Promise<LinkIndex> {
  index ??= new LinkIndex(workspace)
  const known = index
  known.newNotes = { newNotes, isFlat }
  known.style = { links, linkPaths }
  const asked = performance.now()
  const look = async () => {
    // What was looked at after this was asked for is new enough.
    if (lookedAt >= asked || (!isStale && asked - lookedAt < maxAgeMs)) return
    const at = performance.now()
    await known.refresh(forbidden)
    lookedAt = at
  }
  looking = looking.catch(() => undefined).then(look)
  await looking
  return known
}

const router = {
  of: threadBase
    .input(type<Asked & { path: string }>())
    .handler(async ({ input }) => linksOf(await current(input), input.path)),
  mentions: threadBase
    .input(type<Asked & { path: string }>())
    .handler(async ({ input, signal }) => mentionsOf(await current(input), input.path, signal)),
  resolve: threadBase
    .input(type<Asked & { path: string; link: Pick<NoteLink, 'kind' | 'target' | 'fragment'> }>())
    .handler(async ({ input }) => leadsTo(await current(input), input.path, input.link)),
  files: threadBase
    .input(type<Asked>())
    .handler(async ({ input }) =>
      (await current(input))
        .files()
        .map(({ path, names = [] }) => (names.length === 0 ? { path } : { path, names: [...names] })),
    ),
  titles: threadBase.input(type<Asked>()).handler(async ({ input }) => titlesOf(await current(input))),
  block: threadBase
    .input(type<Asked & { id: string }>())
    .handler(async ({ input }) => blockOf(await current(input), input.id)),
  broken: threadBase.input(type<Asked>()).handler(async ({ input }) => brokenLinks(await current(input))),
  write: threadBase
    .input(type<Asked & { path: string; to: string; label: string; isEmbed: boolean; as?: LinkStyle | undefined }>())
    .handler(async ({ input: { path, to, label, isEmbed, as, ...asked } }) => {
      const { resolver, style } = await current(asked)
      return linkTo(resolver, { from: path, path: to, label, isEmbed }, as ?? style)
    }),
  names: threadBase
    .input(type<Asked & { path: string; typed: string }>())
    .handler(async ({ input }) => namesFor(await current(input), input.path, input.typed)),
  around: threadBase
    .input(type<Asked & { path: string; steps: number }>())
    .handler(async ({ input }) => linksAround(await current(input), input.path, input.steps)),
  tags: threadBase.input(type<Asked>()).handler(async ({ input }) => listTags(await current(input))),
  properties: threadBase
    .input(type<Asked & { path: string }>())
    .handler(async ({ input }) => propertiesOf(await current(input), input.path)),
  planTagRename: threadBase
    .input(type<Asked & { rename: TagRename }>())
    .handler(async ({ input }) => planTagRename(await current(input), input.rename, input.forbidden)),
  planMove: threadBase
    .input(type<Asked & { move: Move }>())
    .handler(async ({ input }) => planMove(await current(input), input.move, input.forbidden)),
}

export type LinkRouter = typeof router

serveThread(router)
