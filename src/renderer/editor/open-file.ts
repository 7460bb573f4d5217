import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import type { Appearance, FileDraft } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'
import { localFileDraft, sendLeftoverDrafts, draftDebounceMs, saveDraft } from '#lib/drafts/draft-storage.ts'
import { windowId } from '#lib/drafts/window-id.ts'
import { isErrorOf } from '#lib/feedback/explain.ts'
import { showError } from '#lib/feedback/toast.ts'

export interface DiskFile {
  readonly text: string
  /** Null if the file does not exist. */
  readonly hash: string | null
}

export type SaveState = 'saved' | 'saving' | 'unsaved' | 'conflict'

const saveAfterMs = 1500

/** A file that no longer exists. Without `movedTo` it was deleted. */
export interface MissingFile {
  readonly movedTo?: string | undefined
}

export interface OpenFile {
  readonly text: string
  /** A new object whenever the text changes by anything but typing. */
  readonly content: { readonly text: string }
  readonly state: SaveState
  /** Text on disk that conflicts with the editor; undefined without a conflict. */
  readonly conflictingText: string | undefined
  readonly hasDraft: boolean
  /** The file was deleted or moved elsewhere. It is not written until the user decides. */
  readonly isMissing: boolean
  /** Unsaved drafts of other windows, newest first. */
  readonly others: readonly OtherDraft[]
  readonly type: (text: string) => void
  readonly save: () => Promise<void>
  readonly resolve: (how: 'mine' | 'theirs' | 'both') => Promise<void>
  readonly discard: () => Promise<void>
  /** Continues the draft in another file, usually the same one under its new path. */
  readonly continueIn: (path: string) => Promise<void>
  readonly loadDraft: (other: OtherDraft) => void
  readonly discardDraft: (other: OtherDraft) => void
}

export interface OtherDraft {
  readonly writer: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly draft: FileDraft
}

interface Options {
  readonly autosave: Appearance['autosave']
  readonly gone: MissingFile | undefined
  /** Called when the view closes with unsaved text whose file no longer exists. */
  readonly onUnsavedClose: () => void
}

/**
 * State of a file in the editor: loads, saves, merges and restores drafts.
 * @param disk file state on disk; a changed hash is an external change
 */
export function useOpenFile(
  agent: string,
  path: string,
  disk: DiskFile,
  { autosave, gone, onUnsavedClose }: Options,
): OpenFile {
  const { t } = useTranslation()
  const [text, setText] = useState(disk.text)
  const [content, setContent] = useState({ text: disk.text })
  const [state, setState] = useState<SaveState>('saved')
  const [conflictingText, setTheirs] = useState<string>()
  const [hasDraft, setHasDraft] = useState(false)
  const [others, setOthers] = useState<readonly OtherDraft[]>([])
  /** The file state at which a save found that the file is gone, before an event reported it. */
  const [missingAt, setMissed] = useState<DiskFile>()
  const isMissing = gone !== undefined || missingAt === disk
  const latest = useRef({
    text,
    base: disk,
    disk,
    isGone: isMissing,
    isLeft: false,
    isConflictShown: false,
    onLeftBehind: onUnsavedClose,
  })
  const timers = useRef({ draft: 0, save: 0 })

  const show = useCallback((file: DiskFile) => {
    latest.current = { ...latest.current, text: file.text, base: file, isConflictShown: false }
    setText(file.text)
    setContent({ text: file.text })
    setState('saved')
    setTheirs(undefined)
    setHasDraft(false)
  }, [])

  const hasStoredDraft = useRef(false)

  const storeDraft = useCallback(() => {
    const { text: typed, base } = latest.current
    const isSaved = typed === base.text
    if (isSaved && !hasStoredDraft.current) return
    hasStoredDraft.current = true
    const draft = isSaved ? null : { text: typed, baseText: base.text, baseHash: base.hash }
    clearTimeout(timers.current.draft)
    void saveDraft({ kind: 'file', agent, path, draft })
  }, [agent, path])

  useEffect(() => {
    latest.current = { ...latest.current, disk, isGone: isMissing, onLeftBehind: onUnsavedClose }
  }, [disk, isMissing, onUnsavedClose])

  // Shows an external change unless the editor has unsaved text.
  useEffect(() => {
    const { text: typed, base } = latest.current
    if (disk.hash !== base.hash && typed === base.text) show(disk)
  }, [disk, show])

  /** Restores a draft. If the file has changed since, both versions are shown as a conflict. */
  const restoreDraft = useCallback((draft: FileDraft) => {
    const { base, disk: now } = latest.current
    // A missing file has no base for a merge.
    const begun = base.hash === null ? base : { text: draft.baseText, hash: draft.baseHash }
    const isOutdated = base.hash !== null && draft.baseHash !== null && draft.baseHash !== now.hash
    latest.current = { ...latest.current, text: draft.text, base: begun, isConflictShown: isOutdated }
    setText(draft.text)
    setContent({ text: draft.text })
    setState(isOutdated ? 'conflict' : 'unsaved')
    setTheirs(isOutdated ? now.text : undefined)
    setHasDraft(true)
  }, [])

  // Loads this window's draft after a crash, and the drafts of other windows.
  useEffect(() => {
    let isCurrent = true
    const here = localFileDraft(agent, path)
    const look = async () => {
      await sendLeftoverDrafts(agent)
      const kept = await client.workspace.drafts({ agent, path })
      if (!isCurrent) return
      const mine = kept.find(({ writer }) => writer === windowId())
      const others = kept.filter(({ writer }) => writer !== windowId())
      setOthers(others.filter(({ draft }) => draft.text !== disk.text))
      // Drops drafts that were saved while their window closed.
      for (const { writer, draft } of others)
        if (draft.text === disk.text) void saveDraft({ kind: 'file', agent, path, draft: null }, writer)
      beginWith(mine?.draft)
    }
    const beginWith = (draft: FileDraft | null | undefined) => {
      const { text: typed, base } = latest.current
      if (hasStoredDraft.current || !draft) return
      hasStoredDraft.current = true
      if (typed === base.text && draft.text !== base.text) restoreDraft(draft)
    }
    beginWith(here)
    look().then(
      () => (hasStoredDraft.current = true),
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [agent, path, disk, restoreDraft])

  const handleMissingFile = useCallback(() => {
    setMissed(latest.current.disk)
    setTheirs(undefined)
    setState('unsaved')
    setContent({ text: latest.current.text })
    storeDraft()
    if (latest.current.isLeft) latest.current.onLeftBehind()
  }, [storeDraft])

  const write = useCallback(
    async (onConflict: 'fail' | 'both') => {
      const { text: typed, base, isGone: isNew } = latest.current
      setState('saving')
      try {
        const expected =
          isNew || base.hash === null ? { expectedHash: null } : { expectedHash: base.hash, baseText: base.text }
        const input = { agent, path, text: typed, onConflict, ...expected }
        const result = await client.workspace.write(input)
        if (result.merged && latest.current.text === typed) show(result)
        // The user typed during the save, so the merged text is not in the editor yet. Keeping the old hash
        // makes the next save merge again.
        else latest.current.base = { text: typed, hash: result.merged ? base.hash : result.hash }
        if (result.merged) toast.info(t('file.merged'))
        latest.current.isConflictShown = false
        setMissed(undefined)
        setTheirs(undefined)
        setHasDraft(false)
        setState(latest.current.text === latest.current.base.text ? 'saved' : 'unsaved')
        storeDraft()
      } catch (error) {
        if (!isErrorOf(error, 'file_changed') && !isErrorOf(error, 'file_exists')) {
          setState('unsaved')
          return showError(error)
        }
        const current = await readDisk(agent, path)
        if (current.hash === null) return handleMissingFile()
        // The file exists again: treat it as an external change.
        latest.current.isGone = false
        latest.current.isConflictShown = true
        setMissed(undefined)
        setState('conflict')
        storeDraft()
        setTheirs(current.text)
        // The comparison replaces the editor; remounting it must start with the typed text.
        setContent({ text: latest.current.text })
      }
    },
    [agent, path, show, handleMissingFile, storeDraft, t],
  )

  const save = useCallback(async () => {
    clearTimeout(timers.current.save)
    const { text: typed, base, isGone: isNew } = latest.current
    if (typed !== base.text || base.hash === null || isNew) await write('fail')
  }, [write])

  /** Autosave: writes only typed text, and never recreates a removed file. */
  const saveTyped = useCallback(async () => {
    const { text: typed, base, isGone: isNew, isConflictShown: isAsked } = latest.current
    if (typed === base.text) return
    storeDraft()
    if (isNew || isAsked) return
    await save()
  }, [save, storeDraft])

  const type = useCallback(
    (typed: string) => {
      latest.current.text = typed
      setText(typed)
      const isSaved = typed === latest.current.base.text
      setState((before) => (before === 'conflict' ? before : isSaved ? 'saved' : 'unsaved'))
      clearTimeout(timers.current.draft)
      timers.current.draft = window.setTimeout(storeDraft, draftDebounceMs)
      clearTimeout(timers.current.save)
      if (autosave === 'delay' && !isSaved) timers.current.save = window.setTimeout(() => void saveTyped(), saveAfterMs)
    },
    [autosave, storeDraft, saveTyped],
  )

  const resolve = useCallback(
    async (how: 'mine' | 'theirs' | 'both') => {
      const current = await readDisk(agent, path)
      if (current.hash === null && how !== 'mine') return handleMissingFile()
      if (how === 'both') return write('both')
      if (how === 'theirs') {
        show(current)
        return storeDraft()
      }
      latest.current.base = current
      setTheirs(undefined)
      return write('fail')
    },
    [agent, path, show, handleMissingFile, write, storeDraft],
  )

  const discard = useCallback(async () => {
    show(await readDisk(agent, path))
    storeDraft()
  }, [agent, path, show, storeDraft])

  const continueIn = useCallback(
    async (target: string) => {
      const { text: typed, base } = latest.current
      const draft = { text: typed, baseText: base.text, baseHash: base.hash }
      if (typed !== base.text) await saveDraft({ kind: 'file', agent, path: target, draft })
      show({ text: typed, hash: base.hash })
      storeDraft()
    },
    [agent, show, storeDraft],
  )

  const discardDraft = useCallback(
    (other: OtherDraft) => {
      setOthers((before) => before.filter((one) => one !== other))
      void saveDraft({ kind: 'file', agent, path, draft: null }, other.writer)
    },
    [agent, path],
  )

  /** The editor's own unsaved text becomes one of the other drafts. */
  const loadDraft = useCallback(
    (other: OtherDraft) => {
      const { text: typed, base } = latest.current
      discardDraft(other)
      if (typed !== base.text) {
        const draft = { text: typed, baseText: base.text, baseHash: base.hash }
        const mine = { writer: crypto.randomUUID(), at: Date.now(), draft }
        setOthers((before) => [mine, ...before])
        void saveDraft({ kind: 'file', agent, path, draft }, mine.writer)
      }
      latest.current.base = latest.current.disk
      restoreDraft(other.draft)
      storeDraft()
    },
    [agent, path, discardDraft, restoreDraft, storeDraft],
  )

  useLeaving(autosave === 'off' ? storeDraft : saveTyped)
  useEffect(() => {
    latest.current.isLeft = false
    return () => {
      latest.current.isLeft = true
      const { text: typed, base, isGone: isNew, onLeftBehind: tell } = latest.current
      if (isNew && typed !== base.text) tell()
    }
  }, [])
  return {
    text,
    content,
    state,
    conflictingText,
    hasDraft,
    isMissing,
    others,
    type,
    save,
    resolve,
    discard,
    continueIn,
    loadDraft,
    discardDraft,
  }
}

/** Reads the file; a missing one has an empty text and a null hash. */
async function readDisk(agent: string, path: string): Promise<DiskFile> {
  try {
    return await client.workspace.read({ agent, path })
  } catch (error) {
    if (isErrorOf(error, 'file_not_found')) return { text: '', hash: null }
    throw error
  }
}

function useLeaving(onLeave: () => void | Promise<void>): void {
  useEffect(() => {
    const leave = () => void onLeave()
    window.addEventListener('blur', leave)
    window.addEventListener('pagehide', leave)
    document.addEventListener('visibilitychange', leave)
    return () => {
      window.removeEventListener('blur', leave)
      window.removeEventListener('pagehide', leave)
      document.removeEventListener('visibilitychange', leave)
      leave()
    }
  }, [onLeave])
}
