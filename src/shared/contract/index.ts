import type { ContractRouterClient } from '@orpc/contract'
import { agents, conventions } from './agents.ts'
import { chat } from './chat.ts'
import { savedSearches } from './saved-searches.ts'
import { clients } from './clients.ts'
import { context } from './context.ts'
import { events } from './events.ts'
import { find } from './find.ts'
import { permanentDeletion } from './permanent-deletion.ts'
import { health } from './health.ts'
import { history } from './history.ts'
import { importContract } from './import.ts'
import { links, tags } from './links.ts'
import { search } from './search.ts'
import { chats } from './chats.ts'
import { settings } from './settings.ts'
import { suggestions } from './suggestions.ts'
import { pictures, workspace } from './workspace.ts'

export const contract = {
  agents,
  chat,
  savedSearches,
  clients,
  context,
  events,
  find,
  permanentDeletion,
  conventions,
  health,
  history,
  import: importContract,
  links,
  pictures,
  search,
  chats,
  settings,
  suggestions,
  tags,
  workspace,
}

export type ContractClient = ContractRouterClient<typeof contract>

export type * from './agents.ts'
export type * from './chat.ts'
export type * from './saved-searches.ts'
export type * from './clients.ts'
export type * from './context.ts'
export type * from './events.ts'
export type * from './find.ts'
export type * from './permanent-deletion.ts'
export type * from './health.ts'
export type * from './history.ts'
export type * from './import.ts'
export type * from './links.ts'
export type * from './search.ts'
export type * from './chats.ts'
export type * from './outbound.ts'
export type * from './settings.ts'
export type * from './suggestions.ts'
export type * from './workspace.ts'
export type { ConfigChange } from './base.ts'
