import { useCallback, useEffect, useRef, useState } from 'react'
import type { Draft } from '#shared/contract/index.ts'
import { client } from '../api/client.ts'
import { sendLeftoverDrafts, draftDebounceMs, saveDraft, localMessageDraft } from './draft-storage.ts'

const emptyDraft: Draft = { text: '', attachments: [] }

/** The mounted fields by key. Each function empties its field and returns the draft. */
const mountedFields = new Map<string, () => Draft>()
const movedDrafts = new Map<string, Draft>()

/**
 * Returns the unsent message of a conversation, which is saved shortly after each key. If two windows show the same
 * conversation, the last one to type wins; the other loads its text on focus.
 * @param initialText replaces the stored draft
 */
export function useDraft(agent: string, session: string | undefined, initialText?: string) {
  const key = keyOf(agent, session)
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
      const stored = await client.sessions.draft(session === undefined ? { agent } : { agent, session })
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
    window.addEventListener('blur', flush, mounted)
    window.addEventListener('pagehide', flush, mounted)
    document.addEventListener('visibilitychange', flush, mounted)
    return () => {
      mounted.abort()
      if (mountedFields.get(key) === takeDraft) mountedFields.delete(key)
      flush()
    }
  }, [agent, session, key, change, flush])

  return {
    draft,
    change,
    clear() {
      change(() => emptyDraft)
      flush()
    },
  }
}

/** Moves the draft to the conversation that a first message has created. */
export function moveDraft(agent: string, from: string | undefined, to: string): void {
  const taken = mountedFields.get(keyOf(agent, from))?.()
  if (taken && !isEmpty(taken)) movedDrafts.set(keyOf(agent, to), taken)
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

function keyOf(agent: string, session: string | undefined): string {
  return JSON.stringify([agent, session])
}
