import type { App } from '../composition/create-app.ts'
import { agentsRoutes, eventsRoutes, conventionsRoutes, healthRoutes } from './agents-router.ts'
import { chatRoutes, contextRoutes, sessionsRoutes } from './chat-router.ts'
import { clientsRoutes } from './clients-router.ts'
import { erasureRoutes, historyRoutes } from './history-router.ts'
import { importRoutes } from './import-router.ts'
import { linksRoutes, tagsRoutes } from './links-router.ts'
import { routerBase } from './procedure.ts'
import { savedQueriesRoutes, searchRoutes } from './search-router.ts'
import { settingsRoutes } from './settings-router.ts'
import { suggestionsRoutes } from './suggestions-router.ts'
import { findRoutes, picturesRoutes, workspaceRoutes } from './workspace-router.ts'

export function createRouter(app: App) {
  const base = routerBase(app)
  return base.os.router({
    agents: agentsRoutes(base),
    chat: chatRoutes(base),
    checks: savedQueriesRoutes(base),
    clients: clientsRoutes(base),
    context: contextRoutes(base),
    events: eventsRoutes(base),
    find: findRoutes(base),
    forget: erasureRoutes(base),
    habits: conventionsRoutes(base),
    health: healthRoutes(base),
    history: historyRoutes(base),
    import: importRoutes(base),
    links: linksRoutes(base),
    pictures: picturesRoutes(base),
    tags: tagsRoutes(base),
    search: searchRoutes(base),
    sessions: sessionsRoutes(base),
    settings: settingsRoutes(base),
    upkeep: suggestionsRoutes(base),
    workspace: workspaceRoutes(base),
  })
}

export type AppRouter = ReturnType<typeof createRouter>
