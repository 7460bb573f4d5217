import { useCallback, useEffect, useRef, useState } from 'react'
import type { Draft } from '#shared/contract/index.ts'
import { client } from '../api/client.ts'
import { sendLeftoverDrafts, draftDebounceMs, saveDraft, localMessageDraft } from './draft-storage.ts'

const empty: Draft = { text: '', attachments: [] }

/** Mounted fields by name. Calling one empties it and returns its draft. */
const shown = new Map<string, () => Draft>()
const movedDrafts = new Map<string, Draft>()

export interface DraftField {
  readonly draft: Draft
  readonly change: (next: (before: Draft) => Draft) => void
  readonly clear: () => void
}

/**
 * The unsent message of a conversation, saved shortly after each key. If two windows show the same
 * conversation, the last one to type wins; the other loads its text on focus.
 * @param given initial text, instead of the stored draft
 */
export function useDraft(agent: string, session: string | undefined, given?: string): DraftField {
  const name = nameOf(agent, session)
  const [draft, setDraft] = useState<Draft>(() =>
    given === undefined
      ? (movedDrafts.get(name) ?? localMessageDraft(agent, session) ?? empty)
      : { text: given, attachments: [] },
  )
  const latest = useRef(draft)
  const pending = useRef<number>(undefined)

  const flush = useCallback(() => {
    if (pending.current === undefined) return
    clearTimeout(pending.current)
    pending.current = undefined
    void saveDraft({ kind: 'message', agent, session, draft: latest.current })
  }, [agent, session])
  const change = useCallback(
    (next: (before: Draft) => Draft) => {
      latest.current = next(latest.current)
      setDraft(latest.current)
      clearTimeout(pending.current)
      pending.current = window.setTimeout(flush, draftDebounceMs)
    },
    [flush],
  )

  useEffect(() => {
    let isCurrent = true
    const load = async () => {
      const before = latest.current
      const stored = await client.sessions.draft(session === undefined ? { agent } : { agent, session })
      if (!isCurrent) return
      if (latest.current === before) show(stored ?? empty)
      else if (isEmpty(before) && stored && stored.text !== latest.current.text)
        change((typed) => joinDrafts(stored, typed))
    }
    const show = (next: Draft) => {
      latest.current = next
      setDraft(next)
    }
    const refresh = () => {
      if (pending.current !== undefined) return
      // Another window may still be saving its text.
      const typed = localMessageDraft(agent, session)
      if (typed) show(typed)
      // The field works without the stored draft.
      else load().catch(() => undefined)
    }
    movedDrafts.delete(name)
    if (isEmpty(latest.current)) refresh()
    else change((before) => before)
    void sendLeftoverDrafts(agent)
    const take = () => {
      const taken = latest.current
      if (!isEmpty(taken)) change(() => empty)
      return taken
    }
    shown.set(name, take)
    window.addEventListener('focus', refresh)
    window.addEventListener('blur', flush)
    window.addEventListener('pagehide', flush)
    document.addEventListener('visibilitychange', flush)
    return () => {
      isCurrent = false
      window.removeEventListener('focus', refresh)
      window.removeEventListener('blur', flush)
      window.removeEventListener('pagehide', flush)
      document.removeEventListener('visibilitychange', flush)
      if (shown.get(name) === take) shown.delete(name)
      flush()
    }
  }, [agent, session, name, change, flush])

  return {
    draft,
    change,
    clear() {
      change(() => empty)
      flush()
    },
  }
}

/** Moves the draft to the conversation that a first message has created. */
export function moveDraft(agent: string, from: string | undefined, to: string): void {
  const taken = shown.get(nameOf(agent, from))?.()
  if (taken && !isEmpty(taken)) movedDrafts.set(nameOf(agent, to), taken)
}

/** Returns one draft with the texts and attachments of both, in this order. */
export function joinDrafts(first: Draft, second: Draft): Draft {
  return {
    text: [first.text, second.text].filter(Boolean).join('\n\n'),
    attachments: [...first.attachments, ...second.attachments],
  }
}

function isEmpty({ text, attachments }: Draft): boolean {
  return text === '' && attachments.length === 0
}

function nameOf(agent: string, session: string | undefined): string {
  return JSON.stringify([agent, session])
}
