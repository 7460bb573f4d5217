import { useOnLeave } from './util/hooks.ts'
import type { Draft, FileDraft } from '#shared/contract/index.ts'
import { api, client, queryClient } from './api/client.ts'
import { useCallback, useEffect, useRef, useState } from 'react'

/**
 * The id under which this window stores its drafts. It survives a reload and is unique even in a duplicated
 * tab, whose `sessionStorage` is a copy. Each open window holds a Web Lock with its id.
 */
const storageName = 'commonplace:window'
const lockName = (id: string) => `commonplace:window:${id}`
/** In ms. After a reload the old page releases the lock at once; if it stays locked, another window has this id. */
const lockTimeoutMs = 1000

/** Can change until `idReady` resolves. */
export let windowId = sessionStorage.getItem(storageName) ?? crypto.randomUUID()

const idReady: Promise<void> = claimId()

async function isWindowOpen(writer: string): Promise<boolean> {
  if (writer === windowId) return true
  const { held = [] } = await navigator.locks.query()
  return held.some(({ name }) => name === lockName(writer))
}

async function claimId(): Promise<void> {
  sessionStorage.setItem(storageName, windowId)
  if (await tryLock(windowId)) return
  windowId = crypto.randomUUID()
  sessionStorage.setItem(storageName, windowId)
  await tryLock(windowId)
}

function tryLock(candidateId: string): Promise<boolean> {
  return new Promise((resolve) => {
    const holdForever = () => {
      resolve(true)
      return new Promise<never>(() => undefined)
    }
    navigator.locks
      .request(lockName(candidateId), { signal: AbortSignal.timeout(lockTimeoutMs) }, holdForever)
      .catch(() => resolve(false))
  })
}

/** A file has one draft for each window. `draft` is null if there are no unsaved changes. */
type StoredFile = { readonly kind: 'file' } & Parameters<typeof client.workspace.saveDraft>[0]
type UnsentMessage = { readonly kind: 'message' } & Parameters<typeof client.chats.saveDraft>[0]
type StoredDraft = StoredFile | UnsentMessage

/** Debounce, in ms. Together with the write, a draft is on disk within 300 ms of the last key. */
export const draftDebounceMs = 200

const prefix = 'commonplace:typed:'

/** @param writer id of another window that owns the file draft; then the draft is not stored in the browser */
export async function saveDraft(entry: Omit<StoredFile, 'writer'> | UnsentMessage, writer?: string): Promise<void> {
  const toStored = (): StoredDraft => (entry.kind === 'file' ? { ...entry, writer: writer ?? windowId } : entry)
  // Stored in the browser first: the page may close before the runtime answers.
  if (writer === undefined) store(toStored())
  await idReady
  const stored = toStored()
  await sendDraft(keyOf(stored), stored)
}

/** Returns the message draft that the runtime does not have yet, or undefined. */
function localMessageDraft(agent: string, session: string | undefined): Draft | undefined {
  const stored = read(keyOf({ kind: 'message', agent, session }))
  return stored?.kind === 'message' ? stored.draft : undefined
}

/** Returns the file draft that the runtime does not have yet: null if it was discarded, undefined if there is none. */
export function localFileDraft(agent: string, path: string): FileDraft | null | undefined {
  const stored = read(keyOf({ kind: 'file', agent, path, writer: windowId }))
  return stored?.kind === 'file' ? stored.draft : undefined
}

/** Sends the drafts that closed windows left in this browser to the runtime. */
export async function sendLeftoverDrafts(agent: string): Promise<void> {
  await idReady
  const agentPrefix = keyPrefixOf(agent)
  for (const key of Object.keys(localStorage)) {
    const stored = key.startsWith(agentPrefix) ? read(key) : undefined
    if (!stored || (stored.kind === 'file' && stored.writer !== windowId && (await isWindowOpen(stored.writer))))
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
      await client.chats.saveDraft({ ...target, draft: stored.draft })
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

const emptyDraft: Draft = { text: '', attachments: [] }

/** The mounted fields by key. Each function empties its field and returns the draft. */
const mountedFields = new Map<string, () => Draft>()
const movedDrafts = new Map<string, Draft>()

/**
 * Returns the unsent message of a chat, and saves it shortly after each key. If two windows show the same
 * chat, the last one to type wins; the other loads its text on focus.
 * @param initialText replaces the stored draft
 */
export function useDraft(agent: string, session: string | undefined, initialText?: string) {
  const key = chatKey(agent, session)
  const [draft, setDraft] = useState<Draft>(() =>
    initialText === undefined
      ? (movedDrafts.get(key) ?? localMessageDraft(agent, session) ?? emptyDraft)
      : { text: initialText, attachments: [] },
  )
  const latest = useRef(draft)
  const saveTimer = useRef<number>(undefined)

  const flush = useCallback(() => {
    if (saveTimer.current === undefined) return
    clearTimeout(saveTimer.current)
    saveTimer.current = undefined
    void saveDraft({ kind: 'message', agent, session, draft: latest.current })
  }, [agent, session])
  const change = useCallback(
    (next: (before: Draft) => Draft) => {
      latest.current = next(latest.current)
      setDraft(latest.current)
      clearTimeout(saveTimer.current)
      saveTimer.current = window.setTimeout(flush, draftDebounceMs)
    },
    [flush],
  )

  useEffect(() => {
    const mounted = new AbortController()
    const load = async () => {
      const draftAtStart = latest.current
      const stored = await client.chats.draft(session === undefined ? { agent } : { agent, session })
      if (mounted.signal.aborted) return
      if (latest.current === draftAtStart) show(stored ?? emptyDraft)
      else if (isEmpty(draftAtStart) && stored && stored.text !== latest.current.text)
        change((typed) => joinDrafts(stored, typed))
    }
    const show = (next: Draft) => {
      latest.current = next
      setDraft(next)
    }
    const refresh = () => {
      if (saveTimer.current !== undefined) return
      // Another window may still be saving its text.
      const typed = localMessageDraft(agent, session)
      if (typed) show(typed)
      // The field works without the stored draft.
      else load().catch(() => undefined)
    }
    movedDrafts.delete(key)
    if (isEmpty(latest.current)) refresh()
    else change((before) => before)
    void sendLeftoverDrafts(agent)
    const takeDraft = () => {
      const taken = latest.current
      if (!isEmpty(taken)) change(() => emptyDraft)
      return taken
    }
    mountedFields.set(key, takeDraft)
    window.addEventListener('focus', refresh, mounted)
    return () => {
      mounted.abort()
      if (mountedFields.get(key) === takeDraft) mountedFields.delete(key)
    }
  }, [agent, session, key, change])
  useOnLeave(flush)

  return {
    draft,
    change,
    clear() {
      change(() => emptyDraft)
      flush()
    },
  }
}

/** Moves the draft to the chat that a first message has created. */
export function moveDraft(agent: string, from: string | undefined, to: string): void {
  const taken = mountedFields.get(chatKey(agent, from))?.()
  if (taken && !isEmpty(taken)) movedDrafts.set(chatKey(agent, to), taken)
}

export function joinDrafts(first: Draft, second: Draft): Draft {
  return {
    text: [first.text, second.text].filter(Boolean).join('\n\n'),
    attachments: [...first.attachments, ...second.attachments],
  }
}

function isEmpty({ text, attachments }: Draft): boolean {
  return text === '' && attachments.length === 0
}

function chatKey(agent: string, session: string | undefined): string {
  return JSON.stringify([agent, session])
}
