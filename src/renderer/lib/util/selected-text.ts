import { useEffect, useState } from 'react'
import type { FileLine } from '../router/paths.ts'

export interface SelectedText {
  readonly text: string
  /** Left and bottom edge of the selection in the viewport, px. */
  readonly left: number
  readonly bottom: number
  /** First line of the selection, if it is in a file. */
  readonly place?: FileLine
  /** Marks the selected lines of an editor. */
  readonly makePrivate?: () => void
}

const editorEvent = 'editorselection'
const debounceMs = 250
/** Shorter selections count as accidental clicks. */
const minCharacters = 2

/** @param selected the selection in an editor; undefined if nothing is selected */
export function reportSelection(selected: SelectedText | undefined): void {
  document.dispatchEvent(new CustomEvent(editorEvent, { detail: selected }))
}

export function useSelectedText(): SelectedText | undefined {
  const [selected, setSelected] = useState<SelectedText>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const update = (next: SelectedText | undefined) => {
      clearTimeout(timer)
      if (!next) setSelected(undefined)
      else timer = setTimeout(() => setSelected(next), debounceMs)
    }
    // Monaco changes the page's selection while it works.
    const onPageSelection = () => {
      if (!document.activeElement?.closest('.monaco-editor')) update(selectedInPage())
    }
    const onEditorSelection = (event: Event) => update((event as CustomEvent<SelectedText | undefined>).detail)
    const mounted = new AbortController()
    const { signal } = mounted
    document.addEventListener('selectionchange', onPageSelection, { signal })
    document.addEventListener(editorEvent, onEditorSelection, { signal })
    document.addEventListener('scroll', () => update(undefined), { capture: true, passive: true, signal })
    return () => {
      clearTimeout(timer)
      mounted.abort()
    }
  }, [])
  return selected
}

/** Returns the selection in a view, not in fields, buttons or the editor. Undefined if it is too short. */
function selectedInPage(): SelectedText | undefined {
  const selection = getSelection()
  const text = selection?.toString().trim() ?? ''
  const focusNode = selection?.focusNode
  const element = focusNode instanceof Element ? focusNode : focusNode?.parentElement
  if (!selection || selection.isCollapsed || text.length < minCharacters || !element?.closest('main')) return undefined
  if (element.closest('textarea, input, [contenteditable], .monaco-editor, nav, header')) return undefined
  const box = selection.getRangeAt(0).getBoundingClientRect()
  return { text, left: box.left, bottom: box.bottom }
}
