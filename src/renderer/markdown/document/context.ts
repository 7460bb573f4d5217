import { useQuery } from '@tanstack/react-query'
import { useMemo, createContext } from 'react'
import { t } from 'i18next'
import { toast } from 'sonner'
import type { LinkName } from '#shared/contract/index.ts'
import { Resolver } from '#shared/markdown/links/resolve-link.ts'
import { formatTarget, type LinkTarget } from '#shared/markdown/links/parse-links.ts'
import { tagQuery } from '#shared/markdown/properties/queries.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api, client } from '#lib/api/client.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { navigate, paths } from '#lib/router/paths.ts'
import { plainTitle, linkLabel } from '#lib/notes/note-titles.ts'
import { useVaultSettings } from '#lib/notes/use-vault-settings.ts'
import type { Components } from 'react-markdown'
import type { LineChange } from '../parse/line-edits.ts'
import type { Syntax } from '../parse/plugins.ts'

export type NoteLinks = ReturnType<typeof useNoteLinks>

type LinkKind = 'wiki' | 'inline'
type Files = ConstructorParameters<typeof Resolver>[0]

/** Shared by all notes: for thousands of files, building a resolver takes tens of milliseconds. */
const resolvers = new WeakMap<Files, Resolver>()

function resolverOf(files: Files): Resolver {
  const resolver = resolvers.get(files) ?? new Resolver(files)
  resolvers.set(files, resolver)
  return resolver
}

export function useNoteLinks(path: string) {
  const { id: agent } = useAgent()
  const files = useQuery(api.links.files.queryOptions({ input: { agent }, staleTime: 60_000 })).data
  const vaultKind = useVaultSettings(agent)?.kind
  const titles = useQuery(
    api.links.titles.queryOptions({ input: { agent }, staleTime: 60_000, enabled: vaultKind === 'foam' }),
  ).data
  const resolver = files && resolverOf(files)
  return useMemo(
    () => ({
      /** Returns the path of the target; undefined if there is none. Returns the target itself until the files are loaded. */
      resolve: (kind: LinkKind, { target }: LinkTarget): string | undefined =>
        resolver ? resolver.resolve(path, { kind, target })?.path : target,
      /** Returns the text of a link without a label. */
      nameOf(link: LinkTarget): string {
        const targetPath = resolver?.resolve(path, { kind: 'wiki', target: link.target })?.path
        const title = titles?.find((titled) => titled.path === targetPath)?.title
        return linkLabel(vaultKind, link, title === undefined ? undefined : plainTitle(title))
      },
      open(kind: LinkKind, link: LinkTarget): void {
        const openTarget = async () => {
          const resolved = await client.links.resolve({ agent, path, kind, ...link })
          if (resolved.path !== null) navigate(paths.file(resolved.path, resolved.line ?? undefined))
          // A missing note opens as a new one.
          else if (resolved.makes !== null) navigate(paths.file(resolved.makes))
          else toast.info(t('links.nowhere', { target: formatTarget(link) }))
        }
        void runWithErrorToast(openTarget())
      },
      /** @param name without `#` */
      openTag: (name: string) => navigate(paths.search(tagQuery(name))),
      /** Returns suggestions for a link that is being typed. */
      complete: (typed: string): Promise<readonly LinkName[]> => client.links.names({ agent, path, typed }),
    }),
    [agent, path, resolver, vaultKind, titles],
  )
}

export interface DocumentContextValue {
  /** Path of the note; empty in answers. */
  readonly path: string
  /** The notes in which this one is embedded, outermost first, and this note. */
  readonly ancestors: readonly string[]
  readonly syntax: Syntax
  /** In the context to avoid an import cycle: embeds render rows, and rows render embeds. */
  readonly components: Components
  /** Undefined in answers. */
  readonly links: NoteLinks | undefined
  /** Footnote labels in the order of their numbers, which start at 1. */
  readonly footnotes: readonly string[]
  readonly onFootnote: (label: string) => void
  /** Undefined if the text is read-only. `line` is 1-based. */
  readonly onEdit: ((line: number, change: LineChange) => void) | undefined
}

export const emptyContext: DocumentContextValue = {
  path: '',
  ancestors: [],
  syntax: 'answer',
  components: {},
  links: undefined,
  footnotes: [],
  onFootnote: () => undefined,
  onEdit: undefined,
}

export const DocumentContext = createContext<DocumentContextValue>(emptyContext)

/** Maps a 1-based line of the row to the current line of the note, or undefined if that is unknown. */
export const RowLineContext = createContext<(line: number) => number | undefined>(() => undefined)
