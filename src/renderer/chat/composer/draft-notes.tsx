import { useQuery, skipToken } from '@tanstack/react-query'
import { TriangleAlert, X } from 'lucide-react'
import { t } from 'i18next'
import type { Agent, Draft } from '#shared/contract/index.ts'
import { api, queryClient } from '#lib/api/client.ts'
import { explainCode } from '#lib/feedback/explain.ts'
import { formatShort } from '#lib/i18n/format.ts'
import { useEffect, useMemo } from 'react'
import { estimateTokens } from '#shared/util/tokens.ts'
import { useDebounced } from '#lib/util/hooks.ts'

interface DraftNotesProps {
  readonly agent: Agent
  readonly session: string | undefined
  readonly draft: Draft
  readonly problems: readonly string[]
  readonly onClose: () => void
}

export function DraftNotes({ agent, session, draft, problems, onClose }: DraftNotesProps) {
  const notes = [useImageNote(agent, draft), useSizeNote(agent, session, draft), ...problems]
  const shownNotes = notes.filter((note) => note !== undefined)
  if (shownNotes.length === 0) return null
  return (
    <div role="alert" data-testid="draft-notes" className="flex flex-col gap-1 pb-2 text-[12px] text-warning">
      {shownNotes.map((note) => (
        <p key={note} className="flex gap-1.5">
          <TriangleAlert size={12} aria-hidden className="mt-1 shrink-0" />
          <span className="min-w-0 break-words">{note}</span>
        </p>
      ))}
      {problems.length > 0 && (
        <button
          type="button"
          onClick={onClose}
          className="flex min-h-6 items-center gap-1 self-start rounded-sm text-muted hover:text-text"
        >
          <X size={12} aria-hidden /> {t('common.close')}
        </button>
      )}
    </div>
  )
}

function useSizeNote(agent: Agent, session: string | undefined, draft: Draft): string | undefined {
  const tokens = useDraftTokens(agent.id, session, draft)
  const report = useQuery(api.context.report.queryOptions({ input: { agent: agent.id, session } })).data
  if (!report || tokens === 0) return undefined
  const { contextWindow, reserveTokens } = report
  const counts = { tokens: formatShort(tokens), window: formatShort(contextWindow) }
  if (tokens > contextWindow - reserveTokens) return t('chat.draftTooLong', counts)
  return tokens > contextWindow / 2 ? t('chat.draftLong', counts) : undefined
}

function useImageNote(agent: Agent, { attachments }: Draft): string | undefined {
  const hasImages = attachments.some(({ type }) => type === 'image')
  const models = useQuery({
    ...api.chat.models.queryOptions({ input: { agent: agent.id } }),
    enabled: hasImages,
  }).data
  const model = models?.models.find(({ id }) => id === agent.model)
  if (!hasImages || !model || model.images) return undefined
  return explainCode('images_unsupported', { model: model.id })
}

/** Debounce of the count, in ms: counting a long text on each key would be noticeable. */
const pauseMs = 300

const keyOf = (agent: string, session: string | undefined) => ['draft tokens', agent, session ?? null]

/**
 * Counts the draft and publishes the number for `usePublishedDraftTokens`.
 * @returns estimated tokens, without images
 */
function useDraftTokens(agent: string, session: string | undefined, draft: Draft): number {
  const { text, attachments } = useDebounced(draft, pauseMs)
  // Counted again only when the debounced draft changes, not on each key.
  const tokens = useMemo(
    () =>
      estimateTokens(text) +
      attachments.reduce((sum, file) => sum + (file.type === 'file' ? estimateTokens(file.text) : 0), 0),
    [text, attachments],
  )
  useEffect(() => {
    queryClient.setQueryData(keyOf(agent, session), tokens)
    return () => void queryClient.setQueryData(keyOf(agent, session), 0)
  }, [agent, session, tokens])
  return tokens
}

/** Returns the estimated tokens of the draft in this conversation, 0 if there is none. */
export function usePublishedDraftTokens(agent: string, session: string | undefined): number {
  return useQuery<number>({ queryKey: keyOf(agent, session), queryFn: skipToken }).data ?? 0
}
