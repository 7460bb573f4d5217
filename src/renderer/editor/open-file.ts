import { useOnLeave } from '#lib/util/hooks.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { t } from 'i18next'
import { toast } from 'sonner'
import type { Appearance, FileDraft } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'
import { localFileDraft, sendLeftoverDrafts, draftDebounceMs, saveDraft, windowId } from '#lib/drafts.ts'
import { isErrorOf, showError } from '#lib/feedback/toast.ts'

export interface DiskFile {
  readonly text: string
  /** Null if the file does not exist. */
  readonly hash: string | null
}

type SaveState = 'saved' | 'saving' | 'unsaved' | 'conflict'

const autosaveDelayMs = 1500

/** A file that no longer exists. Without `movedTo` it was deleted. */
export interface MissingFile {
  readonly movedTo?: string | undefined
}

export interface OtherDraft {
  readonly writer: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly draft: FileDraft
}

export type OpenFile = ReturnType<typeof useOpenFile>

interface Options {
  readonly autosave: Appearance['autosave']
  readonly missing: MissingFile | undefined
  /** Called when the view closes with unsaved text whose file no longer exists. */
  readonly onUnsavedClose: () => void
}

/**
 * Holds the state of a file in the editor: loads, saves and merges its text, and restores drafts.
 * @param disk file state on disk; a changed hash is an external change
 */
export function useOpenFile(
  agent: string,
  path: string,
  disk: DiskFile,
  { autosave, missing, onUnsavedClose }: Options,
) {
  const [text, setText] = useState(disk.text)
  /** Replaced by a new object whenever the text changes by other means than typing. */
  const [content, setContent] = useState({ text: disk.text })
  const [state, setState] = useState<SaveState>('saved')
  /** Text on disk that conflicts with the editor; undefined without a conflict. */
  const [conflictingText, setConflictingText] = useState<string>()
  const [hasDraft, setHasDraft] = useState(false)
  /** Unsaved drafts of other windows, newest first. */
  const [otherDrafts, setOtherDrafts] = useState<readonly OtherDraft[]>([])
  /** Value of `disk` when a save found the file missing. An event reports that later. */
  const [missingSince, setMissingSince] = useState<DiskFile>()
  /** The file was deleted or moved elsewhere. It is not written until the user decides. */
  const isMissing = missing !== undefined || missingSince === disk
  const latest = useRef({
    text,
    base: disk,
    disk,
    isMissing,
    isClosed: false,
    conflictingText,
    textBeingSaved: undefined as string | undefined,
    onUnsavedClose,
  })
  const timers = useRef({ draft: 0, save: 0 })

  const showConflict = useCallback((diskText: string | undefined) => {
    latest.current.conflictingText = diskText
    setConflictingText(diskText)
  }, [])

  const show = useCallback(
    (file: DiskFile) => {
      latest.current = { ...latest.current, text: file.text, base: file }
      setText(file.text)
      setContent({ text: file.text })
      setState('saved')
      showConflict(undefined)
      setHasDraft(false)
    },
    [showConflict],
  )

  const hasStoredDraft = useRef(false)

  const storeDraft = useCallback(() => {
    const { text: typedText, base } = latest.current
    const isSaved = typedText === base.text
    if (isSaved && !hasStoredDraft.current) return
    hasStoredDraft.current = true
    const draft = isSaved ? null : { text: typedText, baseText: base.text, baseHash: base.hash }
    clearTimeout(timers.current.draft)
    void saveDraft({ kind: 'file', agent, path, draft })
  }, [agent, path])

  useEffect(() => {
    latest.current = { ...latest.current, disk, isMissing, onUnsavedClose }
  }, [disk, isMissing, onUnsavedClose])

  // Shows an external change, or beside unsaved text that conflicts, the version that is on disk now.
  useEffect(() => {
    const { text: typedText, base, conflictingText: shown, textBeingSaved } = latest.current
    if (shown !== undefined && disk.hash !== null) showConflict(disk.text)
    else if (disk.hash !== base.hash && disk.text !== textBeingSaved && typedText === base.text) show(disk)
  }, [disk, show, showConflict])

  /** Restores a draft. If the file has changed since the draft began, shows both versions as a conflict. */
  const restoreDraft = useCallback(
    (draft: FileDraft) => {
      const { base, disk: currentDisk } = latest.current
      // A missing file has no base for a merge.
      const draftBase = base.hash === null ? base : { text: draft.baseText, hash: draft.baseHash }
      const isOutdated = base.hash !== null && draft.baseHash !== null && draft.baseHash !== currentDisk.hash
      latest.current = { ...latest.current, text: draft.text, base: draftBase }
      setText(draft.text)
      setContent({ text: draft.text })
      setState(isOutdated ? 'conflict' : 'unsaved')
      showConflict(isOutdated ? currentDisk.text : undefined)
      setHasDraft(true)
    },
    [showConflict],
  )

  // Loads this window's draft after a crash, and the drafts of other windows.
  useEffect(() => {
    let isCurrent = true
    const localDraft = localFileDraft(agent, path)
    const loadDrafts = async () => {
      await sendLeftoverDrafts(agent)
      const drafts = await client.workspace.drafts({ agent, path })
      if (!isCurrent) return
      const ownDraft = drafts.find(({ writer }) => writer === windowId())
      const fromOtherWindows = drafts.filter(({ writer }) => writer !== windowId())
      setOtherDrafts(fromOtherWindows.filter(({ draft }) => draft.text !== disk.text))
      // Deletes drafts whose text was saved while their window closed.
      for (const { writer, draft } of fromOtherWindows)
        if (draft.text === disk.text) void saveDraft({ kind: 'file', agent, path, draft: null }, writer)
      restoreOwnDraft(ownDraft?.draft)
    }
    const restoreOwnDraft = (draft: FileDraft | null | undefined) => {
      const { text: typedText, base } = latest.current
      if (hasStoredDraft.current || !draft) return
      hasStoredDraft.current = true
      if (typedText === base.text && draft.text !== base.text) restoreDraft(draft)
    }
    restoreOwnDraft(localDraft)
    loadDrafts().then(
      () => (hasStoredDraft.current = true),
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [agent, path, disk, restoreDraft])

  const handleMissingFile = useCallback(() => {
    setMissingSince(latest.current.disk)
    showConflict(undefined)
    setState('unsaved')
    setContent({ text: latest.current.text })
    storeDraft()
    if (latest.current.isClosed) latest.current.onUnsavedClose()
  }, [storeDraft, showConflict])

  const write = useCallback(
    async (onConflict: 'fail' | 'both') => {
      const { text: typedText, base, isMissing } = latest.current
      latest.current.textBeingSaved = typedText
      setState('saving')
      try {
        const expected =
          isMissing || base.hash === null ? { expectedHash: null } : { expectedHash: base.hash, baseText: base.text }
        const input = { agent, path, text: typedText, onConflict, ...expected }
        const result = await client.workspace.write(input)
        if (result.merged && latest.current.text === typedText) show(result)
        // If the user typed during the save, the merged text is not in the editor yet. Keeping the old hash
        // makes the next save merge again.
        else latest.current.base = { text: typedText, hash: result.merged ? base.hash : result.hash }
        if (result.merged) toast.info(t('file.merged'))
        setMissingSince(undefined)
        showConflict(undefined)
        setHasDraft(false)
        setState(latest.current.text === latest.current.base.text ? 'saved' : 'unsaved')
        const { disk: seen } = latest.current
        // Another program changed the file after the save and before its answer.
        const isNewer = !result.merged && seen.hash !== base.hash && seen.hash !== result.hash
        if (isNewer && latest.current.text === typedText) show(seen)
        storeDraft()
      } catch (error) {
        if (!isErrorOf(error, 'file_changed') && !isErrorOf(error, 'file_exists')) {
          setState('unsaved')
          return showError(error)
        }
        const current = await readDisk(agent, path)
        if (current.hash === null) return handleMissingFile()
        // The file exists again: treat it as an external change.
        latest.current.isMissing = false
        setMissingSince(undefined)
        setState('conflict')
        showConflict(current.text)
        storeDraft()
        // The comparison replaces the editor; remounting it must start with the typed text.
        setContent({ text: latest.current.text })
      } finally {
        latest.current.textBeingSaved = undefined
      }
    },
    [agent, path, show, showConflict, handleMissingFile, storeDraft],
  )

  const save = useCallback(async () => {
    clearTimeout(timers.current.save)
    const { text: typedText, base, isMissing } = latest.current
    if (typedText !== base.text || base.hash === null || isMissing) await write('fail')
  }, [write])

  /** Saves only typed text, never during a conflict, and never recreates a missing file. */
  const saveAutomatically = useCallback(async () => {
    const { text: typedText, base, isMissing, conflictingText: shown } = latest.current
    if (typedText === base.text) return
    storeDraft()
    if (isMissing || shown !== undefined) return
    await save()
  }, [save, storeDraft])

  const edit = useCallback(
    (typedText: string) => {
      latest.current.text = typedText
      setText(typedText)
      const isSaved = typedText === latest.current.base.text
      setState((previous) => (previous === 'conflict' ? previous : isSaved ? 'saved' : 'unsaved'))
      clearTimeout(timers.current.draft)
      timers.current.draft = window.setTimeout(storeDraft, draftDebounceMs)
      clearTimeout(timers.current.save)
      if (autosave === 'delay' && !isSaved)
        timers.current.save = window.setTimeout(() => void saveAutomatically(), autosaveDelayMs)
    },
    [autosave, storeDraft, saveAutomatically],
  )

  const resolve = useCallback(
    async (choice: 'mine' | 'theirs' | 'both') => {
      const current = await readDisk(agent, path)
      if (current.hash === null && choice !== 'mine') return handleMissingFile()
      if (choice === 'both') return write('both')
      // The file has changed again: the choice was made on another version.
      if (current.hash !== null && latest.current.conflictingText !== current.text) return showConflict(current.text)
      if (choice === 'theirs') {
        show(current)
        return storeDraft()
      }
      latest.current.base = current
      showConflict(undefined)
      return write('fail')
    },
    [agent, path, show, showConflict, handleMissingFile, write, storeDraft],
  )

  const discard = useCallback(async () => {
    show(await readDisk(agent, path))
    storeDraft()
  }, [agent, path, show, storeDraft])

  /** Moves the draft to another path, usually the new path of the same file. */
  const continueIn = useCallback(
    async (newPath: string) => {
      const { text: typedText, base } = latest.current
      const draft = { text: typedText, baseText: base.text, baseHash: base.hash }
      if (typedText !== base.text) await saveDraft({ kind: 'file', agent, path: newPath, draft })
      show({ text: typedText, hash: base.hash })
      storeDraft()
    },
    [agent, show, storeDraft],
  )

  const discardDraft = useCallback(
    (other: OtherDraft) => {
      setOtherDrafts((drafts) => drafts.filter((draft) => draft !== other))
      void saveDraft({ kind: 'file', agent, path, draft: null }, other.writer)
    },
    [agent, path],
  )

  /** Loads another draft. Unsaved text of this editor becomes one of the other drafts. */
  const loadDraft = useCallback(
    (other: OtherDraft) => {
      const { text: typedText, base } = latest.current
      discardDraft(other)
      if (typedText !== base.text) {
        const draft = { text: typedText, baseText: base.text, baseHash: base.hash }
        const ownDraft = { writer: crypto.randomUUID(), at: Date.now(), draft }
        setOtherDrafts((drafts) => [ownDraft, ...drafts])
        void saveDraft({ kind: 'file', agent, path, draft }, ownDraft.writer)
      }
      latest.current.base = latest.current.disk
      restoreDraft(other.draft)
      storeDraft()
    },
    [agent, path, discardDraft, restoreDraft, storeDraft],
  )

  useOnLeave(autosave === 'off' ? storeDraft : saveAutomatically)
  useEffect(() => {
    latest.current.isClosed = false
    return () => {
      latest.current.isClosed = true
      const { text: typedText, base, isMissing, onUnsavedClose: notify } = latest.current
      if (isMissing && typedText !== base.text) notify()
    }
  }, [])
  return {
    text,
    content,
    state,
    conflictingText,
    hasDraft,
    isMissing,
    otherDrafts,
    edit,
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
