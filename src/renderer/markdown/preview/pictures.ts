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
  | { readonly state: 'loaded'; readonly loaded: Attachment }
  | { readonly state: 'failed'; readonly error: unknown }
  /** Over the limit for automatic loading, bytes. */
  | { readonly state: 'large'; readonly size: number }

/** Larger images load on request. Audio and video always load on request, since they are rarely played. */
const maxAutoLoadBytes = 12 * 1024 * 1024
const cacheBytes = 48 * 1024 * 1024
/** Older entries are loaded again, since files may change on disk. */
const freshMs = 30_000
/** Limit of parallel downloads: a page of images must not block other requests. */
const maxParallel = 3

type LoadResult = Attachment | { readonly tooLarge: number }

interface Entry {
  users: number
  readonly startedAt: number
  readonly result: Promise<LoadResult>
  attachment: Attachment | undefined
}

/** In order of last use. */
const entries = new Map<string, Entry>()
let runningDownloads = 0
const waitingDownloads: (() => void)[] = []

/** Loads an attachment and keeps it while the component is mounted. @param isRequested loads it even if it is large */
export function useAttachment(agent: string, path: string, isRequested: boolean): AttachmentState {
  const [shown, setShown] = useState<{ key: string; state: AttachmentState }>()
  const key = JSON.stringify([agent, path, isRequested])
  useEffect(() => {
    if (attachmentKind(path) !== 'image' && !isRequested) return undefined
    let isCurrent = true
    const entry = acquire(key, agent, path, isRequested)
    const show = (state: AttachmentState) => isCurrent && setShown({ key, state })
    entry.result.then(
      (result) =>
        show('url' in result ? { state: 'loaded', loaded: result } : { state: 'large', size: result.tooLarge }),
      (error: unknown) => show({ state: 'failed', error }),
    )
    return () => {
      isCurrent = false
      entry.users -= 1
      evict()
    }
  }, [key, agent, path, isRequested])
  return shown?.key === key ? shown.state : { state: 'loading' }
}

function acquire(key: string, agent: string, path: string, isRequested: boolean): Entry {
  const cached = entries.get(key)
  const isFresh = cached && (cached.users > 0 || performance.now() - cached.startedAt < freshMs)
  const entry = isFresh ? cached : startLoading(agent, path, isRequested)
  if (cached && !isFresh) release(cached)
  entry.users += 1
  entries.delete(key)
  entries.set(key, entry)
  return entry
}

function startLoading(agent: string, path: string, isRequested: boolean): Entry {
  const result = withDownloadSlot(() => load(agent, path, isRequested))
  const entry: Entry = { users: 0, startedAt: performance.now(), result, attachment: undefined }
  result.then(
    (loaded) => {
      if ('url' in loaded) entry.attachment = loaded
      evict()
    },
    () => undefined,
  )
  return entry
}

async function load(agent: string, path: string, isRequested: boolean): Promise<LoadResult> {
  for (;;) {
    const first = await client.workspace.attachment({ agent, path })
    if (first.size > maxAutoLoadBytes && !isRequested) return { tooLarge: first.size }
    const parts = [decodeBase64(first.data)]
    let from = parts[0]?.length ?? 0
    let isSame = true
    while (from < first.size && isSame) {
      const { data, modifiedAt } = await client.workspace.attachment({ agent, path, from })
      const part = decodeBase64(data)
      isSame = modifiedAt === first.modifiedAt && part.length > 0
      parts.push(part)
      from += part.length
    }
    // The file changed during the download: start over.
    if (isSame) return { url: URL.createObjectURL(new Blob(parts, { type: first.type })), size: first.size }
  }
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(base64)
}

async function withDownloadSlot<T>(work: () => Promise<T>): Promise<T> {
  if (runningDownloads >= maxParallel) await new Promise<void>((resolve) => waitingDownloads.push(resolve))
  runningDownloads += 1
  try {
    return await work()
  } finally {
    runningDownloads -= 1
    waitingDownloads.shift()?.()
  }
}

/** Removes the least recently used entries above the size of the cache. */
function evict(): void {
  let bytes = 0
  for (const [key, entry] of [...entries].reverse()) {
    // A pending download is evicted when it completes.
    if (entry.users > 0 || !entry.attachment) continue
    bytes += entry.attachment.size
    if (bytes <= cacheBytes) continue
    entries.delete(key)
    release(entry)
  }
}

function release({ attachment }: Entry): void {
  if (attachment) URL.revokeObjectURL(attachment.url)
}
