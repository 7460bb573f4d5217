/** The contract, implemented by calling modules: one file a domain, no logic of its own but translating failures. */
import type { App } from '../app.ts'
import { agentsRoutes } from './agents.ts'
import { routerBase } from './base.ts'
import { chatRoutes } from './chat.ts'
import { checksRoutes } from './checks.ts'
import { clientsRoutes } from './clients.ts'
import { contextRoutes } from './context.ts'
import { eventsRoutes } from './events.ts'
import { findRoutes } from './find.ts'
import { forgetRoutes } from './forget.ts'
import { habitsRoutes } from './habits.ts'
import { healthRoutes } from './health.ts'
import { historyRoutes } from './history.ts'
import { importRoutes } from './import.ts'
import { linksRoutes } from './links.ts'
import { picturesRoutes } from './pictures.ts'
import { tagsRoutes } from './tags.ts'
import { searchRoutes } from './search.ts'
import { sessionsRoutes } from './sessions.ts'
import { settingsRoutes } from './settings.ts'
import { surveyRoutes } from './survey.ts'
import { upkeepRoutes } from './upkeep.ts'
import { workspaceRoutes } from './workspace.ts'

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
    survey: surveyRoutes(base),
    upkeep: upkeepRoutes(base),
    workspace: workspaceRoutes(base),
  })
}

export type AppRouter = ReturnType<typeof createRouter>
