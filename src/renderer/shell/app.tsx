import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { useEffect } from 'react'
import { t } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Toaster } from 'sonner'
import { api } from '#lib/api/client.ts'
import { ErrorState, Skeleton } from '#lib/ui/states.tsx'
import { useCurrentAgent } from '#lib/agents/current-agent.ts'
import { setBindings } from '#lib/util/shortcuts.ts'
import { useMedia } from '#lib/util/hooks.ts'
import { paths, useParameters } from '#lib/router/paths.ts'
import type { Agent, Appearance } from '#shared/contract/index.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { applyLocale } from '#lib/i18n/index.ts'
import { BackgroundChangeNotice, ImportNotice, MoveNotice } from './notices.tsx'
import { Onboarding } from './onboarding/onboarding.tsx'
import { Workbench } from './workbench.tsx'
import { CaptureCard } from './capture-card.tsx'

export function AppWindow() {
  // `t` of i18next is a plain function: this rerenders everything in a new language. Memoized components call it, too.
  useTranslation()
  const settings = useQuery(api.settings.get.queryOptions())
  const agents = useQuery(api.agents.list.queryOptions())
  const hasQuestions = (useQuery(api.clients.questions.queryOptions()).data ?? []).length > 0
  const theme = useAppearance(settings.data?.appearance)
  const [location] = useLocation()
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
        <>
          <Workbench key={agent.id} agent={agent} agents={agents.data ?? []} />
          <BackgroundChangeNotice agent={agent.id} />
          <ImportNotice agent={agent.id} />
          <MoveNotice agent={agent.id} />
        </>
      )}
      {/* Toasts must not cover a question to the user. */}
      <Toasts theme={theme} position={hasQuestions ? 'top-right' : 'bottom-right'} />
    </>
  )
}

function CaptureView({ agents }: { agents: readonly Agent[] }) {
  const text = useParameters().get('text') ?? undefined
  return (
    <main className="flex h-full items-center justify-center p-0 sm:p-4">
      <div className="w-full max-w-[520px]">
        <CaptureCard
          agents={agents}
          initialText={text}
          isExternal={text !== undefined}
          onClose={() => window.close()}
        />
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

function Toasts({ theme, position }: { theme: 'light' | 'dark'; position: 'top-right' | 'bottom-right' }) {
  return (
    <div ref={restoreFocus}>
      <Toaster
        theme={theme}
        customAriaLabel={t('common.notifications')}
        toastOptions={{ closeButtonAriaLabel: t('common.close') }}
        position={position}
        offset={toastOffset}
        mobileOffset={toastOffset}
      />
    </div>
  )
}

/**
 * Returns the focus to the element that had it before when a focused toast disappears. Stops the focus events
 * from reaching Sonner, which would also move the focus of users who tab out of a toast and so trap the Tab
 * key.
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
  element.addEventListener('focusin', onFocusIn)
  element.addEventListener('focusout', onFocusOut)
  removalObserver.observe(element, { childList: true, subtree: true })
  return () => {
    element.removeEventListener('focusin', onFocusIn)
    element.removeEventListener('focusout', onFocusOut)
    removalObserver.disconnect()
  }
}
