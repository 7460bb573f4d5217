import type { Draft, FileDraft } from '#shared/contract/index.ts'
import { api, client, queryClient } from '../api/client.ts'
import { isNamed, isOpen, windowId } from './window-id.ts'

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

type Kept = (TypedFile & { readonly writer: string }) | TypedMessage

/** Debounce, in ms. Together with the write, a draft is on disk within 300 ms of the last key. */
export const keepAfterMs = 200

const prefix = 'commonplace:typed:'

/**
 * Stores a draft in the browser and then sends it to the runtime.
 * @param writer id of another window whose file draft changes; the browser's copy is skipped then
 */
export async function keepTyped(typed: TypedFile | TypedMessage, writer?: string): Promise<void> {
  const keptBy = (): Kept => (typed.kind === 'file' ? { ...typed, writer: writer ?? windowId() } : typed)
  // Stored in the browser first: the page may close before the runtime answers.
  if (writer === undefined) store(keptBy())
  await isNamed
  const kept = keptBy()
  await handOver(keyOf(kept), kept)
}

/** Returns the message draft that this browser holds and the runtime does not have yet, or undefined. */
export function messageTypedHere(agent: string, session: string | undefined): Draft | undefined {
  const kept = read(messageKey(agent, session))
  return kept?.kind === 'message' ? kept.draft : undefined
}

/**
 * Returns this window's file draft that the runtime does not have yet.
 * @returns null if the draft was discarded, undefined if nothing is stored
 */
export function fileTypedHere(agent: string, path: string): FileDraft | null | undefined {
  const kept = read(fileKey(agent, path, windowId()))
  return kept?.kind === 'file' ? kept.draft : undefined
}

/** Sends the drafts that closed windows left in this browser to the runtime. */
export async function handedOver(agent: string): Promise<void> {
  await isNamed
  const mine = beginningOf(agent)
  for (const key of Object.keys(localStorage)) {
    const kept = key.startsWith(mine) ? read(key) : undefined
    if (!kept || (kept.kind === 'file' && kept.writer !== windowId() && (await isOpen(kept.writer)))) continue
    // The draft may have changed while the check was pending.
    const now = read(key)
    if (now) await handOver(key, now)
  }
}

function store(kept: Kept): void {
  const key = keyOf(kept)
  try {
    localStorage.setItem(key, JSON.stringify(kept))
  } catch {
    // The quota is used up. Store the message without its attachments.
    if (kept.kind === 'message') storeWords(key, kept)
  }
}

function storeWords(key: string, kept: TypedMessage): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...kept, draft: { ...kept.draft, attachments: [] } }))
  } catch {
    localStorage.removeItem(key)
  }
}

async function handOver(key: string, kept: Kept): Promise<void> {
  const before = localStorage.getItem(key)
  const { agent } = kept
  try {
    if (kept.kind === 'file') {
      const { path, writer, draft } = kept
      await client.workspace.saveDraft({ agent, path, writer, draft })
    } else {
      const target = kept.session === undefined ? { agent } : { agent, session: kept.session }
      await client.sessions.saveDraft({ ...target, draft: kept.draft })
    }
    // A newer draft has its own request under way.
    if (localStorage.getItem(key) === before) localStorage.removeItem(key)
  } catch {
    // A draft that the runtime cannot store (a full disk) stays in the browser. Saving the file reports the
    // full disk.
  }
}

function read(key: string): Kept | undefined {
  const text = localStorage.getItem(key)
  // Only this module writes these keys.
  return text === null ? undefined : (JSON.parse(text) as Kept)
}

function keyOf(kept: Kept): string {
  return kept.kind === 'file' ? fileKey(kept.agent, kept.path, kept.writer) : messageKey(kept.agent, kept.session)
}

function fileKey(agent: string, path: string, writer: string): string {
  return `${beginningOf(agent)}${JSON.stringify(['file', path, writer])}`
}

function messageKey(agent: string, session: string | undefined): string {
  return `${beginningOf(agent)}${JSON.stringify(['message', session ?? null])}`
}

/** Includes the workspace: the same origin may serve another memory later. */
function beginningOf(agent: string): string {
  const agents = queryClient.getQueryData(api.agents.list.queryKey())
  const workspace = agents?.find(({ id }) => id === agent)?.workspace ?? ''
  return `${prefix}${JSON.stringify([workspace, agent])}`
}
