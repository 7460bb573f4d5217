/** The contract, implemented by calling modules: one file a domain, no logic of its own but translating failures. */
import type { App } from '../composition/create-app.ts'
import { agentsRoutes } from './agents-router.ts'
import { routerBase } from './procedure.ts'
import { chatRoutes } from './chat-router.ts'
import { checksRoutes } from './checks-router.ts'
import { clientsRoutes } from './clients-router.ts'
import { contextRoutes } from './context-router.ts'
import { eventsRoutes } from './events-router.ts'
import { findRoutes } from './find-router.ts'
import { forgetRoutes } from './forget-router.ts'
import { habitsRoutes } from './habits-router.ts'
import { healthRoutes } from './health-router.ts'
import { historyRoutes } from './history-router.ts'
import { importRoutes } from './import-router.ts'
import { linksRoutes } from './links-router.ts'
import { picturesRoutes } from './pictures-router.ts'
import { tagsRoutes } from './tags-router.ts'
import { searchRoutes } from './search-router.ts'
import { sessionsRoutes } from './sessions-router.ts'
import { settingsRoutes } from './settings-router.ts'
import { upkeepRoutes } from './upkeep-router.ts'
import { workspaceRoutes } from './workspace-router.ts'

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
