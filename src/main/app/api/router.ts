import type { App } from '../composition/create-app.ts'
import { agentsRoutes, eventsRoutes, habitsRoutes, healthRoutes } from './agents-router.ts'
import { chatRoutes, contextRoutes, sessionsRoutes } from './chat-router.ts'
import { clientsRoutes } from './clients-router.ts'
import { forgetRoutes, historyRoutes } from './history-router.ts'
import { importRoutes } from './import-router.ts'
import { linksRoutes, tagsRoutes } from './links-router.ts'
import { routerBase } from './procedure.ts'
import { checksRoutes, searchRoutes } from './search-router.ts'
import { settingsRoutes } from './settings-router.ts'
import { upkeepRoutes } from './upkeep-router.ts'
import { findRoutes, picturesRoutes, workspaceRoutes } from './workspace-router.ts'

export function createRouter(app: App) {
  const base = routerBase(app)
  return base.os.router({
    agents: agentsRoutes(base),
    chat: chatRoutes(base),
    checks: checksRoutes(base),
    clients: clientsRoutes(base),
    context: contextRoutes(base),
    events: eventsRoutes(base),
    find: findRoutes(base),
    forget: forgetRoutes(base),
    habits: habitsRoutes(base),
    health: healthRoutes(base),
    history: historyRoutes(base),
    import: importRoutes(base),
    links: linksRoutes(base),
    pictures: picturesRoutes(base),
    tags: tagsRoutes(base),
    search: searchRoutes(base),
    sessions: sessionsRoutes(base),
    settings: settingsRoutes(base),
    upkeep: upkeepRoutes(base),
    workspace: workspaceRoutes(base),
  })
}

export type AppRouter = ReturnType<typeof createRouter>
