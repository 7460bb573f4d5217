import { useQuery, useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { t } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Toaster, toast } from 'sonner'
import { api, client, queryClient } from '#lib/api/client.ts'
import { ErrorState, Progress, Skeleton, Button } from '#lib/ui/elements.tsx'
import { AgentContext, useCurrentAgent, useAgent } from '#lib/agents/current-agent.ts'
import { setBindings } from '#lib/util/shortcuts.ts'
import { useMedia } from '#lib/util/hooks.ts'
import { navigate, useEncodedPath, paths, useParameters } from '#lib/router/paths.ts'
import type { Agent, Appearance, ImportStatus, RecoveredChange } from '#shared/contract/index.ts'
import { explainCode } from '#shared/i18n/explain.ts'
import { runWithErrorToast, showSuccess, undoAction } from '#lib/feedback/toast.ts'
import { applyLocale } from '#lib/i18n/index.ts'
import { Onboarding } from './onboarding/onboarding.tsx'
import { Workbench } from './workbench.tsx'
import { CaptureCard } from './capture-card.tsx'
import { formatNumber } from '#lib/i18n/format.ts'
import { formatBatchNames, undoBatchWithToast } from '#lib/feedback/change-toast.ts'
import { isRenamedInstruction, refetchImports, showImportUndone } from '../settings/import.tsx'

export function AppWindow() {
  // `t` of i18next is a plain function: this rerenders everything in a new language. Memoized components call it, too.
  useTranslation()
  const settings = useQuery(api.settings.get.queryOptions())
  const agents = useQuery(api.agents.list.queryOptions())
  const hasQuestions = (useQuery(api.clients.questions.queryOptions()).data ?? []).length > 0
  const theme = useAppearance(settings.data?.appearance)
  const location = useEncodedPath()
  // Cached data stays visible while the runtime restarts.
  const error = settings.data && agents.data ? undefined : (settings.error ?? agents.error)
  setBindings(settings.data?.shortcuts ?? {})
  const agent = useCurrentAgent(agents.data ?? [])
  if (error)
    return <ErrorState error={error} onRetry={() => void Promise.all([settings.refetch(), agents.refetch()])} />
  if (!settings.data || !agent) return <Skeleton />
  return (
    <>
      {settings.data.firstRun || !agent.ready ? (
        <Onboarding
          agent={agent}
          suggested={settings.data.firstRun ? settings.data.suggestedWorkspace : agent.workspace}
        />
      ) : location === paths.capture() ? (
        <CaptureView agents={agents.data ?? []} />
      ) : (
        <AgentContext value={agent}>
          <Workbench key={agent.id} agents={agents.data ?? []} />
          <BackgroundChangeNotice />
          <ImportNotice />
          <MoveNotice />
        </AgentContext>
      )}
      <div ref={restoreFocus}>
        <Toaster
          theme={theme}
          customAriaLabel={t('common.notifications')}
          toastOptions={{ closeButtonAriaLabel: t('common.close') }}
          // Toasts must not cover a question to the user.
          position={hasQuestions ? 'top-right' : 'bottom-right'}
          offset={toastOffset}
          mobileOffset={toastOffset}
        />
      </div>
    </>
  )
}

function CaptureView({ agents }: { agents: readonly Agent[] }) {
  const text = useParameters().get('text') ?? undefined
  return (
    <main className="flex h-full items-center justify-center p-0 sm:p-4">
      <div className="w-full max-w-[520px]">
        <CaptureCard agents={agents} initialText={text} isExternal={text !== undefined} onClose={() => close()} />
      </div>
    </main>
  )
}

function useAppearance(appearance: Appearance | undefined): 'light' | 'dark' {
  const systemIsDark = useMedia('(prefers-color-scheme: dark)')
  const chosen = appearance?.theme ?? 'system'
  const theme = chosen === 'system' ? (systemIsDark ? 'dark' : 'light') : chosen
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
  }, [theme])
  const locale = appearance?.locale
  useEffect(() => {
    if (locale) void runWithErrorToast(applyLocale(locale))
  }, [locale])
  return theme
}

/** Offsets that keep toasts clear of a view's header, the composer and the status bar, px. */
const toastOffset = { top: 56, bottom: 'calc(40px + var(--composer, 0px))', right: 16 }

/**
 * Returns the focus to the element that had it before when a focused toast disappears. Sonner must not receive the
 * focus events: it would also move the focus of users who tab out of a toast and so trap the Tab key.
 */
function restoreFocus(element: HTMLElement | null): (() => void) | undefined {
  if (!element) return undefined
  const isWithin = (target: EventTarget | null) => target instanceof Node && element.contains(target)
  let previousFocus: HTMLElement | undefined
  const onFocusIn = (event: FocusEvent) => {
    event.stopPropagation()
    const { relatedTarget } = event
    if (!isWithin(relatedTarget)) previousFocus = relatedTarget instanceof HTMLElement ? relatedTarget : undefined
  }
  const onFocusOut = ({ target, relatedTarget }: FocusEvent) => {
    // In a microtask: a toast that was just removed is outside `element` by then and keeps `previousFocus`.
    queueMicrotask(() => {
      if (isWithin(target) && !isWithin(relatedTarget)) previousFocus = undefined
    })
  }
  const removalObserver = new MutationObserver(() => {
    if (document.activeElement !== document.body) return
    previousFocus?.focus({ preventScroll: true })
    previousFocus = undefined
  })
  // The listeners end with the element.
  element.addEventListener('focusin', onFocusIn)
  element.addEventListener('focusout', onFocusOut)
  removalObserver.observe(element, { childList: true, subtree: true })
  return () => removalObserver.disconnect()
}

/** Smaller moves finish before the notice could be read. */
const minNotes = 64

function MoveNotice() {
  const { id: agent } = useAgent()
  const moving = useQuery(api.links.moving.queryOptions({ input: { agent } })).data
  const cancel = useMutation(api.links.cancelMove.mutationOptions())
  if (!moving || moving.total < minNotes) return null
  const { from, to, done, total, isCancelled } = moving
  return (
    <ProgressNotice
      title={t(isCancelled ? 'links.takingBack' : 'links.moving')}
      subject={from === '' ? undefined : `${from} → ${to}`}
      progress={moving}
      onCancel={isCancelled || done >= total ? undefined : () => cancel.mutate({ agent })}
      data-testid="move-running"
    />
  )
}

const pollMs = 700

function ImportNotice() {
  const { id: agent } = useAgent()
  const status = useQuery(
    api.import.standing.queryOptions({
      input: { agent },
      refetchInterval: ({ state }) => (state.data?.running ? pollMs : false),
    }),
  )
  const cancel = useMutation(api.import.cancel.mutationOptions({ onSuccess: () => status.refetch() }))
  const ended = status.data?.ended
  useEffect(() => {
    for (const result of ended ?? []) {
      if (reported.has(result.id)) continue
      reported.add(result.id)
      void runWithErrorToast(client.import.seen({ agent, id: result.id }))
      showEnd(agent, result)
    }
  }, [agent, ended])
  const running = status.data?.running
  if (!running) return null
  return (
    <ProgressNotice
      title={t('import.running')}
      subject={running.path}
      progress={running}
      onCancel={cancel.isPending ? undefined : () => cancel.mutate({ agent })}
      data-testid="import-running"
    />
  )
}

interface ProgressNoticeProps {
  readonly title: string
  readonly subject: string | undefined
  readonly progress: { readonly done: number; readonly total: number }
  /** Undefined while the work cannot be cancelled. */
  readonly onCancel: (() => void) | undefined
  readonly 'data-testid': string
}

function ProgressNotice({ title, subject, progress: { done, total }, onCancel, ...props }: ProgressNoticeProps) {
  return (
    <section
      aria-label={title}
      className="fixed right-4 bottom-10 z-40 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2 rounded-md border border-line bg-raised px-4 py-3 shadow-lg"
      {...props}
    >
      <p className="font-medium">{title}</p>
      {subject !== undefined && <p className="font-mono text-[12px] break-all text-muted">{subject}</p>}
      <div className="tabular flex items-center gap-3">
        <Progress label={title} done={done} total={total} className="h-1.5 min-w-0 flex-1 accent-accent" />
        {total === 0
          ? t('import.looking')
          : t('import.progress', { done: formatNumber(done), total: formatNumber(total) })}
        <Button disabled={!onCancel} onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </div>
    </section>
  )
}

/** Ids of imports already reported: a refetch may still contain an import that was marked as seen. */
const reported = new Set<string>()

function showEnd(agent: string, { change, made, isCancelled, failure }: ImportStatus['ended'][number]) {
  void refetchImports()
  if (failure) toast.error(explainCode(failure.code, failure.data))
  else if (made.length === 0) toast(t('import.nothingDone'))
  if (made.length === 0) return
  const result = t(isCancelled ? 'import.cancelled' : 'import.done', { count: made.length })
  const text = made.some(isRenamedInstruction) ? `${result} ${t('import.instructions')}` : result
  if (change === null) toast.success(text)
  else showSuccess(text, async () => showImportUndone(await client.history.revert({ agent, change })))
}

function BackgroundChangeNotice() {
  const { id: agent } = useAgent()
  const { t } = useTranslation()
  const ended = useQuery(api.health.ended.queryOptions({ input: { agent } })).data
  useEffect(() => {
    // Unmounting dismisses the toasts, too. That must not mark the changes as seen.
    let isShown = true
    for (const recovered of ended ?? []) {
      const { id, kind, notes, change } = recovered
      const onDismiss = () => void (isShown && runWithErrorToast(markSeen(agent, id)))
      const dismissThen = (action: () => void) => () => {
        onDismiss()
        action()
      }
      const undo = change === null ? undefined : undoAction(() => undoBatchWithToast(agent, change, recovered))
      toast.info(notes === 0 ? t('ended.moveAlone') : t(`ended.${kind}`, { count: notes }), {
        id,
        description: describeChange(recovered),
        duration: Infinity,
        closeButton: true,
        onDismiss,
        cancel: { label: t('nav.changes'), onClick: dismissThen(() => navigate(paths.changes())) },
        ...(undo && { action: { label: undo.label, onClick: dismissThen(undo.onClick) } }),
      })
    }
    // Runs when another window has marked the changes as seen, or another agent is shown.
    return () => {
      isShown = false
      for (const { id } of ended ?? []) toast.dismiss(id)
    }
  }, [agent, ended, t])
  return null
}

function describeChange(change: RecoveredChange): string {
  const { from, to } = formatBatchNames(change)
  const names = change.from !== '' && `${from} → ${to}`
  const left = change.left > 0 && t('changes.replacedLeft', { count: change.left })
  return [names, left].filter(Boolean).join(' · ')
}

async function markSeen(agent: string, id: string): Promise<void> {
  await client.health.endedSeen({ agent, id })
  await queryClient.invalidateQueries({ queryKey: api.health.ended.key() })
}
