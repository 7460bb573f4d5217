/**
 * What is being typed, kept on the disk between keystrokes: closing the window loses nothing. A window in which nothing
 * was typed follows the one in which something is; where both have words of their own, each keeps its own and is offered
 * the other's.
 */
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import type { Draft } from '#shared/contract/index.ts'
import { client } from '../api/client.ts'
import { handedOver, keepAfterMs, keepTyped, messageTypedHere } from './typed-text.ts'
import { isOpen, windowId } from './window-id.ts'

const empty: Draft = { text: '', attachments: [] }

/** What the fields that are shown hold, by what they are for; taking it empties the field's draft. */
const shown = new Map<string, () => Draft>()
/** What was taken along, for the field that comes next. */
const carried = new Map<string, Draft>()

export interface OfferedDraft {
  readonly writer: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly draft: Draft
}

export interface DraftField {
  readonly draft: Draft
  readonly change: (next: (before: Draft) => Draft) => void
  readonly clear: () => void
  /** What was typed in other windows. */
  readonly offered: readonly OfferedDraft[]
  /** Puts what was offered before what is here. */
  readonly take: (offer: OfferedDraft) => void
  readonly discard: (offer: OfferedDraft) => void
}

/** What a window tells the others of the same browser. */
interface Told extends OfferedDraft {
  readonly name: string
  /** The draft that it goes on from: whoever has just that need not keep it. */
  readonly from?: { readonly writer: string; readonly text: string } | undefined
}

const channel = new BroadcastChannel('commonplace:drafts')

/** @param field where it is typed: what is being typed into follows nobody */
export function useDraft(
  agent: string,
  session: string | undefined,
  field?: RefObject<HTMLTextAreaElement | null>,
): DraftField {
  const name = nameOf(agent, session)
  const [begun] = useState(() => {
    const here = messageTypedHere(agent, session)
    return carried.get(name) ?? (isEmpty(here) ? undefined : here)
  })
  const [draft, setDraft] = useState(begun ?? empty)
  const [offered, setOffered] = useState<readonly OfferedDraft[]>([])
  const latest = useRef(draft)
  /** Something was typed here. */
  const isOwn = useRef(begun !== undefined)
  /** The window whose words are shown, while nothing was typed here. */
  const followed = useRef<{ writer: string; text: string }>(undefined)
  const pending = useRef<number>(undefined)

  const show = useCallback((next: Draft) => {
    latest.current = next
    setDraft(next)
  }, [])
  const flush = useCallback(() => {
    if (pending.current === undefined) return
    clearTimeout(pending.current)
    pending.current = undefined
    void keepTyped({ kind: 'message', agent, session, draft: latest.current })
  }, [agent, session])
  const keep = useCallback(
    (next: Draft) => {
      latest.current = next
      clearTimeout(pending.current)
      pending.current = window.setTimeout(flush, keepAfterMs)
    },
    [flush],
  )
  const drop = useCallback(
    (writer: string) => void keepTyped({ kind: 'message', agent, session, draft: empty }, writer),
    [agent, session],
  )
  /** What is typed here goes on from what another window has: one that is closed need not keep it. */
  const own = useCallback(
    (next: Draft) => {
      const from = followed.current
      followed.current = undefined
      isOwn.current = !isEmpty(next)
      // Pictures are not sent about with every key.
      if (next.attachments.length === 0)
        channel.postMessage({ name, writer: windowId(), at: Date.now(), draft: next, from } satisfies Told)
      if (from) void isOpen(from.writer).then((is) => is || drop(from.writer))
    },
    [name, drop],
  )

  useEffect(() => {
    let isCurrent = true
    const look = async () => {
      await handedOver(agent)
      const kept = await client.sessions.drafts(session === undefined ? { agent } : { agent, session })
      if (!isCurrent) return
      const mine = kept.find(({ writer }) => writer === windowId())
      const others = kept.filter(({ writer }) => writer !== windowId())
      const newest = others[0]
      if (isOwn.current || !isEmpty(latest.current)) {
        const ofBefore = mine && !begun ? [{ ...mine, writer: crypto.randomUUID() }] : []
        const news = [...ofBefore, ...others].filter(isNews(latest.current))
        // Typed before what was here could be shown: it stays, by another name.
        for (const { writer, draft: before } of ofBefore)
          void keepTyped({ kind: 'message', agent, session, draft: before }, writer)
        return setOffered(news)
      }
      if (mine) isOwn.current = true
      else if (newest) followed.current = { writer: newest.writer, text: newest.draft.text }
      const first = mine ?? newest
      if (first) show(first.draft)
      setOffered(others.filter((one) => one !== first).filter(isNews(first?.draft ?? empty)))
    }
    // A draft that cannot be read is no reason to keep anybody from writing.
    look().catch(() => undefined)
    const hear = ({ data }: MessageEvent<Told>) => {
      if (data.name !== name) return
      const { writer, at, draft: theirs, from } = data
      const isTyping = document.hasFocus() && field?.current !== null && document.activeElement === field?.current
      const isTaken = from?.writer === windowId() && from.text === latest.current.text && !isTyping
      if (isTaken && isOwn.current) {
        isOwn.current = false
        clearTimeout(pending.current)
        pending.current = undefined
        void keepTyped({ kind: 'message', agent, session, draft: empty })
      }
      if (isOwn.current) {
        const offer = { writer, at, draft: theirs }
        return setOffered((before) => [
          ...(isNews(latest.current)(offer) ? [offer] : []),
          ...before.filter((one) => one.writer !== writer),
        ])
      }
      setOffered((before) => before.filter((one) => one.writer !== writer))
      followed.current = isEmpty(theirs) ? undefined : { writer, text: theirs.text }
      show(theirs)
    }
    channel.addEventListener('message', hear)
    if (carried.delete(name)) keep(latest.current)
    const take = () => {
      const taken = latest.current
      if (taken !== empty) keep(empty)
      return taken
    }
    shown.set(name, take)
    window.addEventListener('pagehide', flush)
    document.addEventListener('visibilitychange', flush)
    return () => {
      isCurrent = false
      channel.removeEventListener('message', hear)
      window.removeEventListener('pagehide', flush)
      document.removeEventListener('visibilitychange', flush)
      if (shown.get(name) === take) shown.delete(name)
      flush()
    }
  }, [agent, session, name, begun, keep, flush, show, field])

  const change = (next: (before: Draft) => Draft) => {
    const after = next(latest.current)
    show(after)
    own(after)
    keep(after)
  }
  const discard = (offer: OfferedDraft) => {
    setOffered((before) => before.filter(({ writer }) => writer !== offer.writer))
    drop(offer.writer)
  }
  return {
    draft,
    offered,
    change,
    clear() {
      show(empty)
      own(empty)
      keep(empty)
      flush()
    },
    take(offer) {
      change((before) => ({
        text: [offer.draft.text, before.text].filter(Boolean).join('\n\n'),
        attachments: [...offer.draft.attachments, ...before.attachments],
      }))
      flush()
      discard(offer)
    },
    discard,
  }
}

/** What is typed goes along to where the conversation goes on: to the chat that a first message has begun. */
export function carryDraft(agent: string, from: string | undefined, to: string): void {
  const taken = shown.get(nameOf(agent, from))?.()
  if (taken && !isEmpty(taken)) carried.set(nameOf(agent, to), taken)
}

function isNews(here: Draft): (offer: OfferedDraft) => boolean {
  return ({ draft }) => !isEmpty(draft) && draft.text !== here.text
}

function isEmpty(draft: Draft | undefined): boolean {
  return draft === undefined || (draft.text === '' && draft.attachments.length === 0)
}

function nameOf(agent: string, session: string | undefined): string {
  return JSON.stringify([agent, session])
}
