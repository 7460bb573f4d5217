/** Starts the interface: language, events, failures that nobody caught, and the window. */
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { followEvents, queryClient } from './api/index.ts'
import { followOutbox } from './chat/outbox.ts'
import { App } from './app.tsx'
import { startI18n } from './i18n/index.ts'
import { ConnectionNotice } from './workbench/connection-notice.tsx'
import { ErrorBoundary } from './ui/error-boundary.tsx'
import { tellUncaught } from './feedback/index.ts'
import './styles.css'

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
