/** Starts the interface: language, events, failures that nobody caught, and the window. */
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { followEvents } from '#lib/api/event-stream.ts'
import { queryClient } from '#lib/api/client.ts'
import { followOutbox } from '../chat/composer/outbox.ts'
import { App } from './app.tsx'
import { startI18n } from '#lib/i18n/index.ts'
import { ConnectionNotice } from './connection-notice.tsx'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { tellUncaught } from '#lib/feedback/uncaught-errors.ts'
import '../styles.css'

tellUncaught()
void followEvents()
followOutbox()
await startI18n()

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <ErrorBoundary piece="window" look="view">
        <div className="flex h-full flex-col">
          <ConnectionNotice />
          <div className="min-h-0 flex-1">
            <App />
          </div>
        </div>
      </ErrorBoundary>
    </QueryClientProvider>,
  )
}
