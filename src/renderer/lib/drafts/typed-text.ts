/**
 * What was typed goes to the runtime, and lies in this browser until the runtime has it: where nobody answers, where the
 * page is closed at the same moment, or where views change meanwhile, it is there again. What a window left behind when
 * it was closed is handed over by the next one.
 */
import type { Draft, FileDraft } from '#shared/contract/index.ts'
import { api, client, queryClient } from '../api/client.ts'
import { isNamed, isOpen, windowId } from './window-id.ts'

type Place =
  | { readonly kind: 'file'; readonly agent: string; readonly path: string }
  | { readonly kind: 'message'; readonly agent: string; readonly session?: string | undefined }

/** What was typed, and where. A null draft says that there is nothing any more. */
type Typed =
  | (Extract<Place, { kind: 'file' }> & { readonly draft: FileDraft | null })
  | (Extract<Place, { kind: 'message' }> & { readonly draft: Draft })

type Kept = Typed & { readonly writer: string }

/** A pause in typing after which it is on the disk, with the time that a write takes: within 300 ms of the last key. */
export const keepAfterMs = 200

const prefix = 'commonplace:typed:'

/** @param writer another window's is changed by its name */
export async function keepTyped(typed: Typed, writer?: string): Promise<void> {
  // At once: the page may be gone before anybody answers.
  if (writer === undefined) lay({ ...typed, writer: windowId() })
  await isNamed
  await handOver({ ...typed, writer: writer ?? windowId() })
}

/** What this window typed there and the runtime does not have yet. */
export function messageTypedHere(agent: string, session: string | undefined): Draft | undefined {
  const kept = read(keyOf({ kind: 'message', agent, session, writer: windowId() }))
  return kept?.kind === 'message' ? kept.draft : undefined
}

/** The same for a file; null where nothing is left that is not saved. */
export function fileTypedHere(agent: string, path: string): FileDraft | null | undefined {
  const kept = read(keyOf({ kind: 'file', agent, path, writer: windowId() }))
  return kept?.kind === 'file' ? kept.draft : undefined
}

/** Until what earlier windows left in this browser is with the runtime. */
export async function handedOver(agent: string): Promise<void> {
  await isNamed
  const mine = beginningOf(agent)
  for (const key of Object.keys(localStorage)) {
    const kept = key.startsWith(mine) ? read(key) : undefined
    if (!kept || (kept.writer !== windowId() && (await isOpen(kept.writer)))) continue
    // What is there by now: something may have been typed since.
    const now = read(key)
    if (now) await handOver(now)
  }
}

function lay(kept: Kept): void {
  const key = keyOf(kept)
  try {
    localStorage.setItem(key, JSON.stringify(kept))
  } catch {
    // There is not room for pictures: words are what cannot be had again.
    if (kept.kind === 'message') layWords(key, kept)
  }
}

function layWords(key: string, kept: Kept & { kind: 'message' }): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...kept, draft: { ...kept.draft, attachments: [] } }))
  } catch {
    localStorage.removeItem(key)
  }
}

async function handOver(kept: Kept): Promise<void> {
  const key = keyOf(kept)
  const before = localStorage.getItem(key)
  const { kind, agent, writer } = kept
  try {
    if (kind === 'file') await client.workspace.saveDraft({ agent, path: kept.path, writer, draft: kept.draft })
    else {
      const target = kept.session === undefined ? { agent } : { agent, session: kept.session }
      await client.sessions.saveDraft({ ...target, writer, draft: kept.draft })
    }
    // What was typed since is on its way.
    if (localStorage.getItem(key) === before) localStorage.removeItem(key)
  } catch {
    // A draft that cannot be kept (a full disk) stays here; that the disk is full is told by the saving.
  }
}

function read(key: string): Kept | undefined {
  const text = localStorage.getItem(key)
  // Only this module writes there.
  return text === null ? undefined : (JSON.parse(text) as Kept)
}

function keyOf(place: Place & { readonly writer: string }): string {
  const what = place.kind === 'file' ? ['file', place.path] : ['message', place.session ?? null]
  return `${beginningOf(place.agent)}${JSON.stringify([...what, place.writer])}`
}

/** The same address may show another memory tomorrow. */
function beginningOf(agent: string): string {
  const agents = queryClient.getQueryData(api.agents.list.queryKey())
  const workspace = agents?.find(({ id }) => id === agent)?.workspace ?? ''
  return `${prefix}${JSON.stringify([workspace, agent])}`
}
