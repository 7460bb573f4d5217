/** What is being typed, kept on the disk between keystrokes: closing the window loses nothing. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Draft } from '../../shared/contract/index.ts'
import { client } from '../api/index.ts'

const saveAfterMs = 400
const empty: Draft = { text: '', attachments: [] }

/** What the fields that are shown hold, by what they are for; taking it empties the field's draft. */
const shown = new Map<string, () => Draft>()
/** What was taken along, for the field that comes next. */
const carried = new Map<string, Draft>()

export interface DraftField {
  readonly draft: Draft
  readonly change: (next: (before: Draft) => Draft) => void
  readonly clear: () => void
}

export function useDraft(agent: string, session: string | undefined): DraftField {
  const name = nameOf(agent, session)
  const [draft, setDraft] = useState(() => carried.get(name) ?? empty)
  const pending = useRef<{ timer: number; save: () => void } | undefined>(undefined)
  const hasTyped = useRef(draft !== empty)
  const latest = useRef(draft)
  const keep = useCallback(
    (next: Draft) => {
      latest.current = next
      clearTimeout(pending.current?.timer)
      const save = () => {
        clearTimeout(pending.current?.timer)
        pending.current = undefined
        const target = session === undefined ? { agent } : { agent, session }
        void client.sessions.saveDraft({ ...target, draft: next }).catch(() => undefined)
      }
      pending.current = { timer: window.setTimeout(save, saveAfterMs), save }
    },
    [agent, session],
  )
  useEffect(() => {
    let isCurrent = true
    const input = session === undefined ? { agent } : { agent, session }
    // A draft that cannot be read is no reason to keep anybody from writing.
    client.sessions.draft(input).then(
      (stored) => isCurrent && !hasTyped.current && setDraft(stored),
      () => undefined,
    )
    if (carried.delete(name)) keep(latest.current)
    const take = () => {
      const taken = latest.current
      if (taken !== empty) keep(empty)
      return taken
    }
    shown.set(name, take)
    return () => {
      isCurrent = false
      if (shown.get(name) === take) shown.delete(name)
      pending.current?.save()
    }
  }, [agent, session, name, keep])
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

/** What is typed goes along to where the conversation goes on: to the chat that a first message has begun. */
export function carryDraft(agent: string, from: string | undefined, to: string): void {
  const taken = shown.get(nameOf(agent, from))?.()
  if (taken && (taken.text !== '' || taken.attachments.length > 0)) carried.set(nameOf(agent, to), taken)
}

function nameOf(agent: string, session: string | undefined): string {
  return JSON.stringify([agent, session])
}
