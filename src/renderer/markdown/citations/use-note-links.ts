import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { LinkName } from '#shared/contract/index.ts'
import { Resolver } from '#shared/markdown/links/resolve-link.ts'
import { formatTarget } from '#shared/markdown/links/link-target.ts'
import { tagQuery } from '#shared/markdown/properties/queries.ts'
import { api, client } from '#lib/api/client.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { paths } from '#lib/router/paths.ts'
import { plainTitle } from '#lib/notes/plain-title.ts'
import { useVaultSettings } from '#lib/notes/use-vault-settings.ts'
import { linkLabel } from '#lib/notes/link-label.ts'
import type { NoteLinks as ShownLinks } from '../chat/markdown-elements.tsx'

export interface NoteLinks extends ShownLinks {
  /** Returns completions for a link that is being typed, best first. */
  readonly names: (typed: string) => Promise<readonly LinkName[]>
  /** Searches for the notes with a tag. @param name without `#` */
  readonly openTag: (name: string) => void
}

type Files = ConstructorParameters<typeof Resolver>[0]

/** Cached and shared: for thousands of notes, building a resolver takes tens of milliseconds. */
const resolvers = new WeakMap<Files, Resolver>()

function resolverOf(files: Files): Resolver {
  const known = resolvers.get(files) ?? new Resolver(files)
  resolvers.set(files, known)
  return known
}

function byPath(titles: readonly { path: string; title: string }[]): ReadonlyMap<string, string> {
  return new Map(titles.map(({ path, title }) => [path, title]))
}

export function useNoteLinks(agent: string, path: string): NoteLinks {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const files = useQuery(api.links.files.queryOptions({ input: { agent }, staleTime: 60_000 })).data
  const kind = useVaultSettings(agent)?.kind
  const titles = useQuery(
    api.links.titles.queryOptions({ input: { agent }, staleTime: 60_000, enabled: kind === 'foam', select: byPath }),
  ).data
  const resolver = files && resolverOf(files)
  return useMemo(
    () => ({
      // While the file list is loading, no link counts as unresolved.
      resolve: (written, { target }) => (resolver ? resolver.resolve(path, { kind: written, target })?.path : target),
      nameOf(link) {
        const leads = resolver?.resolve(path, { kind: 'wiki', target: link.target })?.path
        const title = leads === undefined ? undefined : titles?.get(leads)
        return linkLabel(kind, link, title === undefined ? undefined : plainTitle(title))
      },
      open(written, link) {
        const go = async () => {
          const leads = await client.links.resolve({ agent, path, kind: written, ...link })
          if (leads.path !== null) navigate(paths.file(leads.path, leads.line ?? undefined))
          else if (leads.makes !== null) navigate(paths.file(leads.makes))
          else toast.info(t('links.nowhere', { target: formatTarget(link) }))
        }
        void runWithErrorToast(go())
      },
      openTag: (name) => navigate(paths.search(tagQuery(name))),
      names: (typed) => client.links.names({ agent, path, typed }),
    }),
    [agent, path, resolver, kind, titles, navigate, t],
  )
}
