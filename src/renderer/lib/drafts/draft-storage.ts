import type { Draft, FileDraft } from '#shared/contract/index.ts'
import { api, client, queryClient } from '../api/client.ts'
import { idReady, isWindowOpen, windowId } from './window-id.ts'

/** A file has one draft for each window. `draft` is null if there are no unsaved changes. */
interface TypedFile {
  readonly kind: 'file'
  readonly agent: string
  readonly path: string
  readonly draft: FileDraft | null
}

interface TypedMessage {
  readonly kind: 'message'
  readonly agent: string
  readonly session?: string | undefined
  readonly draft: Draft
}

type StoredDraft = (TypedFile & { readonly writer: string }) | TypedMessage

/** Debounce, in ms. Together with the write, a draft is on disk within 300 ms of the last key. */
export const draftDebounceMs = 200

const prefix = 'commonplace:typed:'

/**
 * Stores a draft in the browser and then sends it to the runtime.
 * @param writer id of another window whose file draft changes; the browser's copy is skipped then
 */
export async function saveDraft(typed: TypedFile | TypedMessage, writer?: string): Promise<void> {
  const keptBy = (): StoredDraft => (typed.kind === 'file' ? { ...typed, writer: writer ?? windowId() } : typed)
  // Stored in the browser first: the page may close before the runtime answers.
  if (writer === undefined) store(keptBy())
  await idReady
  const stored = keptBy()
  await sendDraft(keyOf(stored), stored)
}

/** Returns the message draft that this browser holds and the runtime does not have yet, or undefined. */
export function localMessageDraft(agent: string, session: string | undefined): Draft | undefined {
  const stored = read(messageKey(agent, session))
  return stored?.kind === 'message' ? stored.draft : undefined
}

/**
 * Returns this window's file draft that the runtime does not have yet.
 * @returns null if the draft was discarded, undefined if nothing is stored
 */
export function localFileDraft(agent: string, path: string): FileDraft | null | undefined {
  const stored = read(fileKey(agent, path, windowId()))
  return stored?.kind === 'file' ? stored.draft : undefined
}

/** Sends the drafts that closed windows left in this browser to the runtime. */
export async function sendLeftoverDrafts(agent: string): Promise<void> {
  await idReady
  const mine = keyPrefixOf(agent)
  for (const key of Object.keys(localStorage)) {
    const stored = key.startsWith(mine) ? read(key) : undefined
    if (!stored || (stored.kind === 'file' && stored.writer !== windowId() && (await isWindowOpen(stored.writer))))
      continue
    // The draft may have changed while the check was pending.
    const now = read(key)
    if (now) await sendDraft(key, now)
  }
}

function store(stored: StoredDraft): void {
  const key = keyOf(stored)
  try {
    localStorage.setItem(key, JSON.stringify(stored))
  } catch {
    // The quota is used up. Store the message without its attachments.
    if (stored.kind === 'message') storeWords(key, stored)
  }
}

function storeWords(key: string, stored: TypedMessage): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...stored, draft: { ...stored.draft, attachments: [] } }))
  } catch {
    localStorage.removeItem(key)
  }
}

async function sendDraft(key: string, stored: StoredDraft): Promise<void> {
  const before = localStorage.getItem(key)
  const { agent } = stored
  try {
    if (stored.kind === 'file') {
      const { path, writer, draft } = stored
      await client.workspace.saveDraft({ agent, path, writer, draft })
    } else {
      const target = stored.session === undefined ? { agent } : { agent, session: stored.session }
      await client.sessions.saveDraft({ ...target, draft: stored.draft })
    }
    // A newer draft has its own request under way.
    if (localStorage.getItem(key) === before) localStorage.removeItem(key)
  } catch {
    // A draft that the runtime cannot store (a full disk) stays in the browser. Saving the file reports the
    // full disk.
  }
}

function read(key: string): StoredDraft | undefined {
  const text = localStorage.getItem(key)
  // Only this module writes these keys.
  return text === null ? undefined : (JSON.parse(text) as StoredDraft)
}

function keyOf(stored: StoredDraft): string {
  return stored.kind === 'file'
    ? fileKey(stored.agent, stored.path, stored.writer)
    : messageKey(stored.agent, stored.session)
}

function fileKey(agent: string, path: string, writer: string): string {
  return `${keyPrefixOf(agent)}${JSON.stringify(['file', path, writer])}`
}

function messageKey(agent: string, session: string | undefined): string {
  return `${keyPrefixOf(agent)}${JSON.stringify(['message', session ?? null])}`
}

/** Includes the workspace: the same origin may serve another memory later. */
function keyPrefixOf(agent: string): string {
  const agents = queryClient.getQueryData(api.agents.list.queryKey())
  const workspace = agents?.find(({ id }) => id === agent)?.workspace ?? ''
  return `${prefix}${JSON.stringify([workspace, agent])}`
}
