/** What is being typed, kept on the disk between keystrokes: closing the window loses nothing. */
import { useEffect, useRef, useState } from 'react'
import type { Draft } from '../../shared/contract/index.ts'
import { client } from '../api/index.ts'

const saveAfterMs = 400
const empty: Draft = { text: '', attachments: [] }

export interface DraftField {
  readonly draft: Draft
  readonly change: (next: (before: Draft) => Draft) => void
  readonly clear: () => void
}

export function useDraft(agent: string, session: string | undefined): DraftField {
  const [draft, setDraft] = useState(empty)
  const pending = useRef<{ timer: number; save: () => void } | undefined>(undefined)
  const hasTyped = useRef(false)
  useEffect(() => {
    let isCurrent = true
    const input = session === undefined ? { agent } : { agent, session }
    // A draft that cannot be read is no reason to keep anybody from writing.
    client.sessions.draft(input).then(
      (stored) => isCurrent && !hasTyped.current && setDraft(stored),
      () => undefined,
    )
    return () => {
      isCurrent = false
      pending.current?.save()
    }
  }, [agent, session])
  const keep = (next: Draft) => {
    clearTimeout(pending.current?.timer)
    const save = () => {
      clearTimeout(pending.current?.timer)
      pending.current = undefined
      const target = session === undefined ? { agent } : { agent, session }
      void client.sessions.saveDraft({ ...target, draft: next }).catch(() => undefined)
    }
    pending.current = { timer: window.setTimeout(save, saveAfterMs), save }
  }
  return {
    draft,
    change(next) {
      hasTyped.current = true
      setDraft((before) => {
        const after = next(before)
        keep(after)
        return after
      })
    },
    clear() {
      setDraft(empty)
      keep(empty)
      pending.current?.save()
    },
  }
}
