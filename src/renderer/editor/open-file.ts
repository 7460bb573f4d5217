import { useOnLeave } from '#lib/util/hooks.ts'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { t } from 'i18next'
import { toast } from 'sonner'
import type { Appearance, FileDraft } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'
import { localFileDraft, sendLeftoverDrafts, draftDebounceMs, saveDraft, windowId } from '#lib/drafts.ts'
import { isErrorOf, showError } from '#lib/feedback/toast.ts'
import { EventEmitter } from '#shared/util/events.ts'

export interface DiskFile {
  readonly text: string
  /** Null if the file does not exist. */
  readonly hash: string | null
}

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

interface View {
  readonly text: string
  /** Replaced by a new object whenever the text changes by other means than typing. */
  readonly content: { readonly text: string }
  readonly state: 'saved' | 'saving' | 'unsaved' | 'conflict'
  /** Text on disk that conflicts with the editor; undefined without a conflict. */
  readonly conflictingText: string | undefined
  readonly hasDraft: boolean
  /** Unsaved drafts of other windows, newest first. */
  readonly otherDrafts: readonly OtherDraft[]
  /** The version on disk when a save found the file missing. An event reports that later. */
  readonly missingSince: DiskFile | undefined
}

interface Surroundings {
  readonly disk: DiskFile
  /** The file was deleted or moved elsewhere. It is not written until the user decides. */
  readonly isMissing: boolean
  readonly autosave: Appearance['autosave']
  /** Called when the view closes with unsaved text whose file no longer exists. */
  readonly onUnsavedClose: () => void
}

function openFile(agent: string, path: string, initial: Surroundings) {
  let { disk, isMissing, autosave, onUnsavedClose } = initial
  /** The version on which the text is based. */
  let base = disk
  let view: View = {
    text: disk.text,
    content: { text: disk.text },
    state: 'saved',
    conflictingText: undefined,
    hasDraft: false,
    otherDrafts: [],
    missingSince: undefined,
  }
  let textBeingSaved: string | undefined
  let isClosed = false
  let hasStoredDraft = false
  const timers = { draft: 0, save: 0 }
  let lastSave: Promise<void> = Promise.resolve()
  const changes = new EventEmitter()

  const isSaved = () => view.text === base.text
  const currentDraft = () => ({ text: view.text, baseText: base.text, baseHash: base.hash })

  function update(change: Partial<View>): void {
    view = { ...view, ...change }
    changes.emit()
  }

  function show(file: DiskFile): void {
    base = file
    const { text } = file
    update({ text, content: { text }, state: 'saved', conflictingText: undefined, hasDraft: false })
  }

  function storeDraft(): void {
    if (isSaved() && !hasStoredDraft) return
    hasStoredDraft = true
    clearTimeout(timers.draft)
    void saveDraft({ kind: 'file', agent, path, draft: isSaved() ? null : currentDraft() })
  }

  /** Restores a draft. If the file has changed since the draft began, shows both versions as a conflict. */
  function restoreDraft({ text, baseText, baseHash }: FileDraft): void {
    // A draft of a file that was missing then asks, too: the file exists again.
    const isOutdated = base.hash !== null && baseHash !== disk.hash
    // A missing file has no base for a merge.
    if (base.hash !== null) base = { text: baseText, hash: baseHash }
    const conflict = {
      state: isOutdated ? 'conflict' : 'unsaved',
      conflictingText: isOutdated ? disk.text : undefined,
    } as const
    update({ text, content: { text }, hasDraft: true, ...conflict })
  }

  function restoreOwnDraft(draft: FileDraft | null | undefined): void {
    if (hasStoredDraft || !draft) return
    hasStoredDraft = true
    if (isSaved() && draft.text !== base.text) restoreDraft(draft)
  }

  /** Loads this window's draft after a crash, and the drafts of other windows. @returns a function that stops it */
  function loadDrafts(diskText: string): () => void {
    const mounted = new AbortController()
    const load = async () => {
      await sendLeftoverDrafts(agent)
      const drafts = await client.workspace.drafts({ agent, path })
      if (mounted.signal.aborted) return
      const others = drafts.filter(({ writer }) => writer !== windowId)
      update({ otherDrafts: others.filter(({ draft }) => draft.text !== diskText) })
      // Deletes drafts whose text was saved while their window closed.
      for (const { writer, draft } of others)
        if (draft.text === diskText) void saveDraft({ kind: 'file', agent, path, draft: null }, writer)
      restoreOwnDraft(drafts.find(({ writer }) => writer === windowId)?.draft)
    }
    const loadIfReachable = () =>
      load().then(
        () => (hasStoredDraft = true),
        () => undefined,
      )
    restoreOwnDraft(localFileDraft(agent, path))
    void loadIfReachable()
    // Another window deletes its draft after its save.
    window.addEventListener('focus', loadIfReachable, mounted)
    return () => mounted.abort()
  }

  function handleMissingFile(): void {
    update({ missingSince: disk, conflictingText: undefined, state: 'unsaved', content: { text: view.text } })
    storeDraft()
    if (isClosed) onUnsavedClose()
  }

  async function write(onConflict: 'fail' | 'both'): Promise<void> {
    const { text } = view
    const before = base
    textBeingSaved = text
    update({ state: 'saving' })
    try {
      const expected =
        isMissing || base.hash === null ? { expectedHash: null } : { expectedHash: base.hash, baseText: base.text }
      const result = await client.workspace.write({ agent, path, text, onConflict, ...expected })
      if (result.merged && view.text === text) show(result)
      // If the user typed during the save, the merged text is not in the editor yet. Keeping the old hash
      // makes the next save merge again.
      else base = { text, hash: result.merged ? before.hash : result.hash }
      if (result.merged) toast.info(t('file.merged'))
      const state = isSaved() ? 'saved' : 'unsaved'
      update({ missingSince: undefined, conflictingText: undefined, hasDraft: false, state })
      // Another program changed the file after the save and before its answer.
      const isNewer = !result.merged && disk.hash !== before.hash && disk.hash !== result.hash
      if (isNewer && view.text === text) show(disk)
      storeDraft()
    } catch (error) {
      if (!isErrorOf(error, 'file_changed') && !isErrorOf(error, 'file_exists')) {
        update({ state: 'unsaved' })
        return showError(error)
      }
      const current = await readDisk(agent, path)
      if (current.hash === null) return handleMissingFile()
      // The file exists again: treat it as an external change.
      isMissing = false
      // The comparison replaces the editor; remounting it must start with the typed text.
      const content = { text: view.text }
      update({ missingSince: undefined, state: 'conflict', conflictingText: current.text, content })
      storeDraft()
    } finally {
      textBeingSaved = undefined
    }
  }

  /** Waits for the save before it, whose version this one replaces. */
  function save(): Promise<void> {
    clearTimeout(timers.save)
    const isNeeded = () => !isSaved() || base.hash === null || isMissing
    if (isNeeded()) update({ state: 'saving' })
    lastSave = lastSave.catch(() => undefined).then(() => (isNeeded() ? write('fail') : undefined))
    return lastSave
  }

  /** Saves only typed text, never during a conflict, and never recreates a missing file. */
  async function saveAutomatically(): Promise<void> {
    if (isSaved()) return
    storeDraft()
    if (!isMissing && view.conflictingText === undefined) await save()
  }

  function edit(text: string): void {
    const state = text === base.text ? 'saved' : 'unsaved'
    update({ text, state: view.state === 'conflict' ? 'conflict' : state })
    clearTimeout(timers.draft)
    timers.draft = window.setTimeout(storeDraft, draftDebounceMs)
    clearTimeout(timers.save)
    if (autosave === 'delay' && !isSaved())
      timers.save = window.setTimeout(() => void saveAutomatically(), autosaveDelayMs)
  }

  async function resolve(choice: 'mine' | 'theirs' | 'both'): Promise<void> {
    const current = await readDisk(agent, path)
    if (current.hash === null && choice !== 'mine') return handleMissingFile()
    if (choice === 'both') return write('both')
    // The file has changed again: the choice was made on another version.
    if (current.hash !== null && view.conflictingText !== current.text) return update({ conflictingText: current.text })
    if (choice === 'theirs') {
      show(current)
      return storeDraft()
    }
    base = current
    update({ conflictingText: undefined })
    return write('fail')
  }

  async function discard(): Promise<void> {
    show(await readDisk(agent, path))
    storeDraft()
  }

  async function continueIn(newPath: string): Promise<void> {
    if (!isSaved()) await saveDraft({ kind: 'file', agent, path: newPath, draft: currentDraft() })
    show({ text: view.text, hash: base.hash })
    storeDraft()
  }

  function discardDraft(other: OtherDraft): void {
    update({ otherDrafts: view.otherDrafts.filter((draft) => draft !== other) })
    void saveDraft({ kind: 'file', agent, path, draft: null }, other.writer)
  }

  /** Loads another draft. Unsaved text of this editor becomes one of the other drafts. */
  function loadDraft(other: OtherDraft): void {
    discardDraft(other)
    if (!isSaved()) {
      const own = { writer: crypto.randomUUID(), at: Date.now(), draft: currentDraft() }
      update({ otherDrafts: [own, ...view.otherDrafts] })
      void saveDraft({ kind: 'file', agent, path, draft: own.draft }, own.writer)
    }
    base = disk
    restoreDraft(other.draft)
    storeDraft()
  }

  return {
    actions: { edit, save, resolve, discard, continueIn, loadDraft, discardDraft },
    view: () => view,
    subscribe: changes.subscribe,
    follow(now: Surroundings): void {
      ;({ disk, isMissing, autosave, onUnsavedClose } = now)
    },
    /** Shows an external change, or beside unsaved text that conflicts, the version that is on disk now. */
    showDisk(now: DiskFile): void {
      if (view.conflictingText !== undefined && now.hash !== null) update({ conflictingText: now.text })
      else if (now.hash !== base.hash && now.text !== textBeingSaved && isSaved()) show(now)
    },
    loadDrafts,
    storeDraft,
    saveAutomatically,
    open() {
      isClosed = false
      return () => {
        isClosed = true
        if (isMissing && !isSaved()) onUnsavedClose()
      }
    },
  }
}

interface Options extends Pick<Surroundings, 'autosave' | 'onUnsavedClose'> {
  readonly missing: MissingFile | undefined
}

/** @param path the same for the life of the component @param disk a changed hash is an external change */
export function useOpenFile(agent: string, path: string, disk: DiskFile, options: Options) {
  const { autosave, missing, onUnsavedClose } = options
  const [file] = useState(() =>
    openFile(agent, path, { disk, isMissing: missing !== undefined, autosave, onUnsavedClose }),
  )
  const view = useSyncExternalStore(file.subscribe, file.view)
  const isMissing = missing !== undefined || view.missingSince === disk
  useEffect(() => file.follow({ disk, isMissing, autosave, onUnsavedClose }))
  useEffect(() => {
    file.showDisk(disk)
    return file.loadDrafts(disk.text)
  }, [file, disk])
  useOnLeave(autosave === 'off' ? file.storeDraft : file.saveAutomatically)
  useEffect(() => file.open(), [file])
  return { ...view, ...file.actions, isMissing }
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
