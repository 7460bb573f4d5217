import { useEffect, useState } from 'react'
import type { FileLine } from '../router/paths.ts'

export interface SelectedText {
  readonly text: string
  /** Position of its end on the screen, px. */
  readonly left: number
  readonly bottom: number
  /** Its first line, if it is in a file. */
  readonly place?: FileLine
}

const editorEvent = 'editorselection'
const debounceMs = 250
/** Shorter selections are taken for accidental clicks. */
const minCharacters = 2

/** Reports the selection of an editor; undefined if nothing is selected. */
export function reportSelection(selected: SelectedText | undefined): void {
  document.dispatchEvent(new CustomEvent(editorEvent, { detail: selected }))
}

/** Returns the selected text of a view or editor, undefined if there is none. */
export function useSelectedText(): SelectedText | undefined {
  const [selected, setSelected] = useState<SelectedText>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = (next: SelectedText | undefined) => {
      clearTimeout(timer)
      if (!next) setSelected(undefined)
      else timer = setTimeout(() => setSelected(next), debounceMs)
    }
    // Monaco changes the page's selection while it works.
    const onPage = () => {
      if (!document.activeElement?.closest('.monaco-editor')) settle(selectedInPage())
    }
    const onEditor = (event: Event) => settle((event as CustomEvent<SelectedText | undefined>).detail)
    const onGone = () => settle(undefined)
    document.addEventListener('selectionchange', onPage)
    document.addEventListener(editorEvent, onEditor)
    document.addEventListener('scroll', onGone, { capture: true, passive: true })
    return () => {
      clearTimeout(timer)
      document.removeEventListener('selectionchange', onPage)
      document.removeEventListener(editorEvent, onEditor)
      document.removeEventListener('scroll', onGone, { capture: true })
    }
  }, [])
  return selected
}

/** Returns the selection in a view, not in fields, buttons or the editor. Undefined if it is too short. */
function selectedInPage(): SelectedText | undefined {
  const selection = getSelection()
  const text = selection?.toString().trim() ?? ''
  const at = selection?.focusNode
  const element = at instanceof Element ? at : at?.parentElement
  if (!selection || selection.isCollapsed || text.length < minCharacters || !element?.closest('main')) return undefined
  if (element.closest('textarea, input, [contenteditable], .monaco-editor, nav, header')) return undefined
  const box = selection.getRangeAt(0).getBoundingClientRect()
  return { text, left: box.left, bottom: box.bottom }
}
