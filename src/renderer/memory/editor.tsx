import { useEffect, useRef } from 'react'
import { applyTheme, monaco } from './monaco.ts'

interface EditorProps {
  /** What to show at first, and whenever it is another object: a text that did not come from typing. */
  readonly content: { readonly text: string }
  /** Shown and marked; 1-based. */
  readonly line: number | undefined
  readonly label: string
  readonly onChange: (text: string) => void
}

export default function Editor({ content, line, label, onChange }: EditorProps) {
  const frame = useRef<HTMLDivElement>(null)
  const editor = useRef<monaco.editor.IStandaloneCodeEditor>(undefined)
  const onChangeNow = useRef(onChange)
  // What the editor begins with; later values are put into the one that is there.
  const initial = useRef({ content, label })
  useEffect(() => {
    onChangeNow.current = onChange
  }, [onChange])

  useEffect(() => {
    if (!frame.current) return undefined
    applyTheme()
    const created = monaco.editor.create(frame.current, {
      value: initial.current.content.text,
      language: 'markdown',
      ariaLabel: initial.current.label,
      automaticLayout: true,
      wordWrap: 'on',
      wrappingStrategy: 'advanced',
      lineHeight: 24,
      fontSize: 13,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono') || 'monospace',
      minimap: { enabled: false },
      scrollBeyondLastLine: false,
      renderLineHighlight: 'line',
      overviewRulerLanes: 0,
      hideCursorInOverviewRuler: true,
      padding: { top: 12, bottom: 24 },
      unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: false, nonBasicASCII: false },
      quickSuggestions: false,
      wordBasedSuggestions: 'off',
      occurrencesHighlight: 'off',
      stickyScroll: { enabled: false },
      lineNumbersMinChars: 4,
      folding: true,
      links: true,
    })
    editor.current = created
    const changes = created.onDidChangeModelContent(() => onChangeNow.current(created.getValue()))
    const themes = new MutationObserver(applyTheme)
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      themes.disconnect()
      changes.dispose()
      created.getModel()?.dispose()
      created.dispose()
      editor.current = undefined
    }
  }, [])

  // It replaces what is there as one edit, so that undo and the cursor survive.
  useEffect(() => {
    const model = editor.current?.getModel()
    if (!model || model.getValue() === content.text) return
    editor.current?.executeEdits('file', [{ range: model.getFullModelRange(), text: content.text }])
  }, [content])

  useEffect(() => {
    const current = editor.current
    if (!current || line === undefined) return undefined
    current.revealLineInCenter(line)
    current.setPosition({ lineNumber: line, column: 1 })
    current.focus()
    const marks = current.createDecorationsCollection([
      { range: new monaco.Range(line, 1, line, 1), options: { isWholeLine: true, className: 'found-line' } },
    ])
    return () => marks.clear()
  }, [line])

  return <div ref={frame} className="h-full" data-testid="editor" />
}
