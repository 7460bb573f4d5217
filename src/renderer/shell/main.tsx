import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { followEvents } from '#lib/api/event-stream.ts'
import { queryClient, useConnectionState } from '#lib/api/client.ts'
import { startI18n } from '#lib/i18n/index.ts'
import { ErrorBoundary, ignoreComposedKeys } from '#lib/ui/elements.tsx'
import { reportUncaughtErrors } from '#lib/feedback/toast.ts'
import { sendOnReconnect } from '../chat/composer/outbox.tsx'
import { AppWindow } from './app.tsx'
import '../styles.css'

reportUncaughtErrors()
ignoreComposedKeys()
void followEvents()
sendOnReconnect()
await startI18n()

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <ErrorBoundary piece="window" variant="view">
        <div className="flex h-full flex-col">
          <ConnectionNotice />
          <div className="min-h-0 flex-1">
            <AppWindow />
          </div>
        </div>
      </ErrorBoundary>
    </QueryClientProvider>,
  )
}

function ConnectionNotice() {
  const { t } = useTranslation()
  if (useConnectionState() !== 'refused') return null
  return (
    <p
      role="alert"
      className="flex shrink-0 items-start justify-center gap-2 border-b border-line bg-side px-4 py-2.5 text-warning"
    >
      <TriangleAlert size={14} aria-hidden className="mt-1 shrink-0" />
      <span className="min-w-0">
        {t('status.refused')}{' '}
        {/* Opens another tab: after the user has authenticated there, this one reconnects and keeps its drafts. */}
        <a href="/?token=" target="_blank" rel="noopener" className="whitespace-nowrap text-accent hover:underline">
          {t('status.enterKey')}
        </a>
      </span>
    </p>
  )
}
