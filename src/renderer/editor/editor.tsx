import { useEffect, useImperativeHandle, useRef, type Ref } from 'react'
import type { LineChange } from '../markdown/preview/line-edits.ts'
import { reportSelection, type SelectedText } from '#lib/util/selected-text.ts'
import { changedLines, continueLine, formatTable, tableAround, toggleTask } from './markdown-edits.ts'
import { registerMarkdown, setLinkContext, unresolvedRanges, type LinkContext } from './markdown-language.ts'
import { applyTheme, monaco } from '#lib/util/monaco.ts'
import { handlePastedFiles } from './attach-files.ts'

const linkCheckDebounceMs = 300

const changedShownMs = 6000

export interface EditorHandle {
  focus(): void
  /** Scrolls to a 1-based line. */
  reveal(line: number): void
  /** Edits a 1-based line as one undo step. Does nothing if the line no longer matches. */
  change(line: number, by: LineChange): void
  undo(): void
  redo(): void
}

interface EditorProps {
  readonly ref?: Ref<EditorHandle>
  /** Text to show. A new object replaces the editor's text; typing does not change it. */
  readonly content: { readonly text: string }
  /** 1-based line to scroll to and mark. */
  readonly line: number | undefined
  readonly label: string
  readonly surroundings: LinkContext
  /** Text beside each line and a click handler; undefined shows only line numbers. */
  readonly margin: { readonly notes: readonly string[]; readonly onClick: (line: number) => void } | undefined
  readonly onChange: (text: string) => void
  /** Stores a pasted or dropped file. @returns the link to insert, or undefined if it failed and a toast was shown */
  readonly onFile: (file: File) => Promise<string | undefined>
  /** @param line top line, 1-based, with the hidden share of it as fraction */
  readonly onScroll: (line: number) => void
}

export default function Editor(props: EditorProps) {
  const { ref, content, line, label, surroundings, margin, onChange, onFile, onScroll } = props
  const frame = useRef<HTMLDivElement>(null)
  const editor = useRef<monaco.editor.IStandaloneCodeEditor>(undefined)
  const mark = byteOrderMarkOf(content.text)
  const now = useRef({ onChange, onFile, onScroll, margin, mark, path: surroundings.path })
  // Only for the first render; later values are applied to the existing editor.
  const initial = useRef({ content, label })
  // Monaco normalizes line ends, so its change event while `content` is applied is not typing.
  const isApplyingContent = useRef(false)
  useEffect(() => {
    now.current = { onChange, onFile, onScroll, margin, mark, path: surroundings.path }
  }, [onChange, onFile, onScroll, margin, mark, surroundings.path])
  useImperativeHandle(ref, () => ({
    focus: () => editor.current?.focus(),
    reveal(target) {
      editor.current?.revealLineNearTop(target)
      editor.current?.setPosition({ lineNumber: target, column: 1 })
      editor.current?.focus()
    },
    change(target, by) {
      const model = editor.current?.getModel()
      if (!model || target < 1 || target > model.getLineCount()) return
      const edit = by(model.getLineContent(target))
      if (!edit) return
      const range = new monaco.Range(target, edit.from + 1, target, edit.to + 1)
      editor.current?.pushUndoStop()
      editor.current?.executeEdits('reading', [{ range, text: edit.text }])
      editor.current?.pushUndoStop()
    },
    undo: () => undoOrRedo(editor.current?.getModel(), 'undo'),
    redo: () => undoOrRedo(editor.current?.getModel(), 'redo'),
  }))

  useEffect(() => {
    if (!frame.current) return undefined
    applyTheme()
    registerMarkdown()
    const created = monaco.editor.create(frame.current, {
      ...options,
      value: initial.current.content.text,
      wrappingStrategy: wrappingOf(initial.current.content.text),
      ariaLabel: initial.current.label,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono') || 'monospace',
    })
    // Models that Monaco creates do not inherit the editor's setting.
    created.getModel()?.updateOptions({
      bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false },
    })
    editor.current = created
    const listeners = [
      ...addCommands(created),
      handlePastedFiles(frame.current, created, (file) => now.current.onFile(file)),
      created.onDidChangeModelContent(() => {
        if (!isApplyingContent.current) now.current.onChange(now.current.mark + created.getValue())
      }),
      created.onDidScrollChange(({ scrollTop, scrollTopChanged }) => {
        const line = created.getVisibleRanges()[0]?.startLineNumber
        if (!scrollTopChanged || line === undefined) return
        const top = created.getTopForLineNumber(line)
        const height = created.getTopForLineNumber(line + 1) - top
        now.current.onScroll(line + (height > 0 ? Math.min(1, Math.max(0, (scrollTop - top) / height)) : 0))
      }),
      created.onDidChangeCursorSelection(() => reportSelection(selectionOf(created, now.current.path))),
      created.onDidBlurEditorText(() => reportSelection(undefined)),
      created.onMouseDown(({ target }) => {
        const isMargin = target.type === monaco.editor.MouseTargetType.GUTTER_LINE_NUMBERS
        if (isMargin && target.position) now.current.margin?.onClick(target.position.lineNumber)
      }),
    ]
    // An empty note gets the focus: the user has just created it.
    if (isBlankNote(initial.current.content.text)) {
      created.setPosition({ lineNumber: created.getModel()?.getLineCount() ?? 1, column: 1 })
      created.focus()
    }
    const themes = new MutationObserver(applyTheme)
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      themes.disconnect()
      for (const listener of listeners) listener.dispose()
      created.getModel()?.dispose()
      created.dispose()
      editor.current = undefined
    }
  }, [])

  useEffect(() => {
    const current = editor.current
    const model = current?.getModel()
    if (!current || !model) return undefined
    setLinkContext(model, surroundings)
    const marks = current.createDecorationsCollection()
    const options = { inlineClassName: 'unresolved' }
    const mark = () => marks.set(unresolvedRanges(model, surroundings).map((range) => ({ range, options })))
    mark()
    let timer: ReturnType<typeof setTimeout> | undefined
    const typing = model.onDidChangeContent(() => {
      clearTimeout(timer)
      timer = setTimeout(mark, linkCheckDebounceMs)
    })
    return () => {
      clearTimeout(timer)
      typing.dispose()
      marks.clear()
    }
  }, [surroundings])

  // Replaces the text as one edit, which keeps undo and cursor, and highlights the changed lines.
  useEffect(() => {
    const current = editor.current
    const model = current?.getModel()
    const text = content.text.slice(byteOrderMarkOf(content.text).length)
    if (!current || !model || content === initial.current.content || model.getValue() === text) return undefined
    const changed = changedLines(model.getValue(), text)
    isApplyingContent.current = true
    current.executeEdits('file', [{ range: model.getFullModelRange(), text }])
    isApplyingContent.current = false
    if (!changed) return undefined
    const marks = current.createDecorationsCollection([
      {
        range: new monaco.Range(changed.from, 1, changed.to, 1),
        options: { isWholeLine: true, className: 'changed-line' },
      },
    ])
    const timer = setTimeout(() => marks.clear(), changedShownMs)
    return () => {
      clearTimeout(timer)
      marks.clear()
    }
  }, [content])

  useEffect(() => {
    const notes = margin?.notes
    editor.current?.updateOptions(
      notes
        ? { lineNumbers: (number) => formatMargin(notes[number - 1] ?? '', number), lineNumbersMinChars: 30 }
        : { lineNumbers: 'on', lineNumbersMinChars: 4 },
    )
  }, [margin])

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

  return <div ref={frame} className={`h-full ${margin ? 'has-notes' : ''}`} data-testid="editor" />
}

/** Returns the byte order mark, or an empty string. Monaco would show it as a character in replaced text. */
function byteOrderMarkOf(text: string): string {
  return text.startsWith('\uFEFF') ? '\uFEFF' : ''
}

/** Undoes on the model: the editor's own command requires focus, which a hidden editor cannot have. */
function undoOrRedo(model: monaco.editor.ITextModel | null | undefined, way: 'undo' | 'redo'): void {
  const steps: Partial<Record<typeof way, unknown>> & object = model ?? {}
  const go = steps[way]
  if (typeof go === 'function') go.call(model)
}

function isBlankNote(text: string): boolean {
  return /^(?:#[^\n]*\n)?\s*$/.test(text)
}

function formatMargin(note: string, number: number): string {
  const most = 22
  const shown = note.length > most ? `${note.slice(0, most - 1)}…` : note
  return `${shown} │ ${String(number).padStart(4, '\u2007')}`
}

const options: monaco.editor.IStandaloneEditorConstructionOptions = {
  language: 'markdown',
  automaticLayout: true,
  wordWrap: 'on',
  lineHeight: 24,
  fontSize: 13,
  minimap: { enabled: false },
  // `[[` is not an unbalanced bracket.
  bracketPairColorization: { enabled: false },
  matchBrackets: 'never',
  guides: { bracketPairs: false, indentation: false },
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
}

/** Limits up to which the browser measures line breaks. It lays out all lines for that. */
const maxMeasured = { lines: 2000, characters: 5000 }

function wrappingOf(text: string): 'advanced' | 'simple' {
  const lines = text.split('\n', maxMeasured.lines)
  const isShort = lines.length < maxMeasured.lines && lines.every((line) => line.length <= maxMeasured.characters)
  return isShort ? 'advanced' : 'simple'
}

function selectionOf(editor: monaco.editor.IStandaloneCodeEditor, path: string): SelectedText | undefined {
  const selection = editor.getSelection()
  const at = selection && editor.getScrolledVisiblePosition(selection.getEndPosition())
  const box = editor.getDomNode()?.getBoundingClientRect()
  const text = selection ? (editor.getModel()?.getValueInRange(selection).trim() ?? '') : ''
  if (!selection || !at || !box || text === '') return undefined
  const place = { path, line: selection.startLineNumber }
  return { text, left: box.left + at.left, bottom: box.top + at.top + at.height, place }
}

/**
 * Registers actions, not commands: a command is never disposed and would keep the editor alive.
 * @returns disposables
 */
function addCommands(editor: monaco.editor.IStandaloneCodeEditor): monaco.IDisposable[] {
  const { KeyCode, KeyMod } = monaco
  const add = (id: string, key: number, run: () => void, keybindingContext?: string) =>
    editor.addAction({ id, label: id, keybindings: [key], run, ...(keybindingContext && { keybindingContext }) })
  return [
    add(
      'markdown.enter',
      KeyCode.Enter,
      () => enter(editor),
      'editorTextFocus && !suggestWidgetVisible && !editorHasMultipleSelections',
    ),
    // Tab indents. After Escape, Tab moves the focus, so that keyboard users can leave; on blur, it indents
    // again.
    add(
      'markdown.leave',
      KeyCode.Escape,
      () => editor.updateOptions({ tabFocusMode: true }),
      'editorTextFocus && !suggestWidgetVisible && !findWidgetVisible && !editorHasMultipleSelections && !editorHasSelection',
    ),
    editor.onDidBlurEditorText(() => editor.updateOptions({ tabFocusMode: false })),
    add('markdown.toggleTask', KeyMod.CtrlCmd | KeyCode.Enter, () =>
      changeLines(editor, (lines) => lines.map(toggleTask)),
    ),
    add('markdown.formatTable', KeyMod.Alt | KeyMod.Shift | KeyCode.KeyF, () => alignTable(editor)),
  ]
}

function enter(editor: monaco.editor.IStandaloneCodeEditor): void {
  const model = editor.getModel()
  const selection = editor.getSelection()
  const number = selection?.positionLineNumber ?? 0
  const line = model && selection?.isEmpty() ? model.getLineContent(number) : ''
  const isAtEnd = selection !== null && selection.positionColumn > line.trimEnd().length
  const next = isAtEnd ? continueLine(line) : undefined
  if (!model || !selection || !next) return editor.trigger('keyboard', 'type', { text: '\n' })
  editor.pushUndoStop()
  if ('insert' in next) editor.trigger('keyboard', 'type', { text: next.insert })
  else editor.executeEdits('list', [{ range: new monaco.Range(number, 1, number, line.length + 1), text: '' }])
}

function changeLines(
  editor: monaco.editor.IStandaloneCodeEditor,
  change: (lines: string[]) => string[],
  from = editor.getSelection()?.startLineNumber ?? 1,
  to = editor.getSelection()?.endLineNumber ?? 1,
): void {
  const model = editor.getModel()
  if (!model) return
  const range = new monaco.Range(from, 1, to, model.getLineMaxColumn(to))
  editor.pushUndoStop()
  editor.executeEdits('markdown', [{ range, text: change(model.getValueInRange(range).split('\n')).join('\n') }])
  editor.pushUndoStop()
}

function alignTable(editor: monaco.editor.IStandaloneCodeEditor): void {
  const lines = editor.getModel()?.getLinesContent() ?? []
  const table = tableAround(lines, editor.getPosition()?.lineNumber ?? 1)
  if (!table) return
  changeLines(editor, (rows) => formatTable(rows) ?? rows, table.from, table.to)
}
