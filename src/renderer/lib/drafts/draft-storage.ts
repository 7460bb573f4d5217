import type { Draft, FileDraft } from '#shared/contract/index.ts'
import { api, client, queryClient } from '../api/client.ts'
import { idReady, isWindowOpen, windowId } from './window-id.ts'

/** A file has one draft for each window. `draft` is null if there are no unsaved changes. */
interface UnsavedFile {
  readonly kind: 'file'
  readonly agent: string
  readonly path: string
  readonly draft: FileDraft | null
}

interface UnsentMessage {
  readonly kind: 'message'
  readonly agent: string
  readonly session?: string | undefined
  readonly draft: Draft
}

type StoredFile = UnsavedFile & { readonly writer: string }
type StoredDraft = StoredFile | UnsentMessage

/** Debounce, in ms. Together with the write, a draft is on disk within 300 ms of the last key. */
export const draftDebounceMs = 200

const prefix = 'commonplace:typed:'

/**
 * Stores a draft in the browser and then sends it to the runtime.
 * @param writer id of another window that owns the file draft; then the draft is not stored in the browser
 */
export async function saveDraft(entry: UnsavedFile | UnsentMessage, writer?: string): Promise<void> {
  const toStored = (): StoredDraft => (entry.kind === 'file' ? { ...entry, writer: writer ?? windowId() } : entry)
  // Stored in the browser first: the page may close before the runtime answers.
  if (writer === undefined) store(toStored())
  await idReady
  const stored = toStored()
  await sendDraft(keyOf(stored), stored)
}

/** Returns the message draft that this browser holds and the runtime does not have yet, or undefined. */
export function localMessageDraft(agent: string, session: string | undefined): Draft | undefined {
  const stored = read(keyOf({ kind: 'message', agent, session }))
  return stored?.kind === 'message' ? stored.draft : undefined
}

/**
 * Returns this window's file draft that the runtime does not have yet.
 * @returns null if the draft was discarded, undefined if nothing is stored
 */
export function localFileDraft(agent: string, path: string): FileDraft | null | undefined {
  const stored = read(keyOf({ kind: 'file', agent, path, writer: windowId() }))
  return stored?.kind === 'file' ? stored.draft : undefined
}

/** Sends the drafts that closed windows left in this browser to the runtime. */
export async function sendLeftoverDrafts(agent: string): Promise<void> {
  await idReady
  const agentPrefix = keyPrefixOf(agent)
  for (const key of Object.keys(localStorage)) {
    const stored = key.startsWith(agentPrefix) ? read(key) : undefined
    if (!stored || (stored.kind === 'file' && stored.writer !== windowId() && (await isWindowOpen(stored.writer))))
      continue
    // The draft may have changed while the check was pending.
    const latest = read(key)
    if (latest) await sendDraft(key, latest)
  }
}

function store(stored: StoredDraft): void {
  const key = keyOf(stored)
  try {
    localStorage.setItem(key, JSON.stringify(stored))
  } catch {
    if (stored.kind !== 'message') return
    // The quota is used up. Store the message without its attachments.
    if (stored.draft.attachments.length === 0) localStorage.removeItem(key)
    else store({ ...stored, draft: { ...stored.draft, attachments: [] } })
  }
}

async function sendDraft(key: string, stored: StoredDraft): Promise<void> {
  const sentText = localStorage.getItem(key)
  const { agent } = stored
  try {
    if (stored.kind === 'file') {
      const { path, writer, draft } = stored
      await client.workspace.saveDraft({ agent, path, writer, draft })
    } else {
      const target = stored.session === undefined ? { agent } : { agent, session: stored.session }
      await client.sessions.saveDraft({ ...target, draft: stored.draft })
    }
    // If the text has changed meanwhile, another call sends it.
    if (localStorage.getItem(key) === sentText) localStorage.removeItem(key)
  } catch {
    // A draft that the runtime cannot store stays in the browser. Saving the file reports the cause.
  }
}

function read(key: string): StoredDraft | undefined {
  const text = localStorage.getItem(key)
  // Only this module writes these keys.
  return text === null ? undefined : (JSON.parse(text) as StoredDraft)
}

function keyOf(stored: Omit<StoredFile, 'draft'> | Omit<UnsentMessage, 'draft'>): string {
  const place = stored.kind === 'file' ? [stored.path, stored.writer] : [stored.session ?? null]
  return `${keyPrefixOf(stored.agent)}${JSON.stringify([stored.kind, ...place])}`
}

/** Includes the workspace: the same origin may serve another memory later. */
function keyPrefixOf(agent: string): string {
  const agents = queryClient.getQueryData(api.agents.list.queryKey())
  const workspace = agents?.find(({ id }) => id === agent)?.workspace ?? ''
  return `${prefix}${JSON.stringify([workspace, agent])}`
}
