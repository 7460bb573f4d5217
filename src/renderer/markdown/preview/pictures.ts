import { useEffect, useState } from 'react'
import { attachmentKind } from '#shared/util/attachments.ts'
import { client } from '#lib/api/client.ts'

export interface Attachment {
  readonly url: string
  /** Bytes. */
  readonly size: number
}

export type AttachmentState =
  | { readonly state: 'loading' }
  | { readonly state: 'there'; readonly attachment: Attachment }
  | { readonly state: 'failed'; readonly error: unknown }
  /** Over the limit for automatic loading, bytes. */
  | { readonly state: 'large'; readonly size: number }

/** Larger images load on request, in bytes. Audio and video always do, since they are rarely played. */
const maxAutoLoadBytes = 12 * 1024 * 1024
const cacheBytes = 48 * 1024 * 1024
/** Files may change on disk, so entries are reloaded after this time, ms. */
const freshMs = 30_000
/** Parallel downloads: a page of images must not block other requests. */
const atOnce = 3

type Loaded = Attachment | { readonly tooLarge: number }

interface Entry {
  users: number
  readonly at: number
  readonly loaded: Promise<Loaded>
  attachment: Attachment | undefined
}

/** In order of last use. */
const entries = new Map<string, Entry>()
let running = 0
const waiting: (() => void)[] = []

/** Loads an attachment and keeps it while the component is mounted. @param isAsked loads it even if it is large */
export function useAttachment(agent: string, path: string, isAsked: boolean): AttachmentState {
  const [shown, setShown] = useState<{ key: string; state: AttachmentState }>()
  const key = JSON.stringify([agent, path, isAsked])
  useEffect(() => {
    if (attachmentKind(path) !== 'image' && !isAsked) return undefined
    let isCurrent = true
    const entry = take(key, agent, path, isAsked)
    const show = (state: AttachmentState) => isCurrent && setShown({ key, state })
    entry.loaded.then(
      (found) =>
        show('url' in found ? { state: 'there', attachment: found } : { state: 'large', size: found.tooLarge }),
      (error: unknown) => show({ state: 'failed', error }),
    )
    return () => {
      isCurrent = false
      entry.users -= 1
      evict()
    }
  }, [key, agent, path, isAsked])
  return shown?.key === key ? shown.state : { state: 'loading' }
}

function take(key: string, agent: string, path: string, isAsked: boolean): Entry {
  const known = entries.get(key)
  const isFresh = known && (known.users > 0 || performance.now() - known.at < freshMs)
  const entry = isFresh ? known : begin(agent, path, isAsked)
  if (known && !isFresh) release(known)
  entry.users += 1
  entries.delete(key)
  entries.set(key, entry)
  return entry
}

function begin(agent: string, path: string, isAsked: boolean): Entry {
  const loaded = inTurn(() => load(agent, path, isAsked))
  const entry: Entry = { users: 0, at: performance.now(), loaded, attachment: undefined }
  loaded.then(
    (found) => {
      if ('url' in found) entry.attachment = found
      evict()
    },
    () => undefined,
  )
  return entry
}

async function load(agent: string, path: string, isAsked: boolean): Promise<Loaded> {
  for (;;) {
    const first = await client.workspace.attachment({ agent, path })
    if (first.size > maxAutoLoadBytes && !isAsked) return { tooLarge: first.size }
    const parts = [bytesOf(first.data)]
    let from = parts[0]?.length ?? 0
    let isSame = true
    while (from < first.size && isSame) {
      const { data, modifiedAt } = await client.workspace.attachment({ agent, path, from })
      const part = bytesOf(data)
      isSame = modifiedAt === first.modifiedAt && part.length > 0
      parts.push(part)
      from += part.length
    }
    // The file changed during the download: start over.
    if (isSame) return { url: URL.createObjectURL(new Blob(parts, { type: first.type })), size: first.size }
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(base64)
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}

function evict(): void {
  let bytes = 0
  for (const [key, entry] of [...entries].reverse()) {
    if (entry.users > 0) continue
    bytes += entry.attachment?.size ?? 0
    if (bytes <= cacheBytes && entry.attachment) continue
    // A pending download is released when it completes.
    if (!entry.attachment) continue
    entries.delete(key)
    release(entry)
  }
}

function release({ attachment }: Entry): void {
  if (attachment) URL.revokeObjectURL(attachment.url)
}
