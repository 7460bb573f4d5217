import { useEffect, useImperativeHandle, useRef, type Ref } from 'react'
import type { LineChange } from '../markdown/preview/line-edits.ts'
import { tellSelected, type SelectedText } from '#lib/util/selected-text.ts'
import { changedLines, continueLine, formatTable, tableAround, toggleTask } from './markdown-edits.ts'
import { registerMarkdown, setSurroundings, unresolvedRanges, type Surroundings } from './markdown-language.ts'
import { applyTheme, monaco } from '#lib/util/monaco.ts'
import { takeFiles } from './attach-files.ts'

/** Links are looked at anew when nobody has typed for so long, ms. */
const settledMs = 300

/** What somebody else changed is marked for so long, ms. */
const changedShownMs = 6000

export interface EditorHandle {
  focus(): void
  /** Shows a line; 1-based. */
  reveal(line: number): void
  /** Changes a part of a line (1-based), as one step that can be undone; nothing where the line is not what was meant. */
  change(line: number, by: LineChange): void
  undo(): void
  redo(): void
}

interface EditorProps {
  readonly ref?: Ref<EditorHandle>
  /** What to show at first, and whenever it is another object: a text that did not come from typing. */
  readonly content: { readonly text: string }
  /** Shown and marked; 1-based. */
  readonly line: number | undefined
  readonly label: string
  readonly surroundings: Surroundings
  /** What stands beside each line, and what a click on it does; undefined shows the numbers alone. */
  readonly margin: { readonly notes: readonly string[]; readonly onClick: (line: number) => void } | undefined
  readonly onChange: (text: string) => void
  /** For a file that is pasted or dropped: the link to insert; undefined where it was not taken, which was told. */
  readonly onFile: (file: File) => Promise<string | undefined>
  /** The line at the top, 1-based, with the share of it that is above. */
  readonly onScroll: (line: number) => void
}

export default function Editor(props: EditorProps) {
  const { ref, content, line, label, surroundings, margin, onChange, onFile, onScroll } = props
  const frame = useRef<HTMLDivElement>(null)
  const editor = useRef<monaco.editor.IStandaloneCodeEditor>(undefined)
  const mark = markOf(content.text)
  const now = useRef({ onChange, onFile, onScroll, margin, mark, path: surroundings.path })
  // What the editor begins with; later values are put into the one that is there.
  const initial = useRef({ content, label })
  // The editor has one kind of line end: what it shows may differ from the file, and that is no typing.
  const isShowing = useRef(false)
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
    undo: () => step(editor.current?.getModel(), 'undo'),
    redo: () => step(editor.current?.getModel(), 'redo'),
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
    // The setting of the editor does not reach a model that it makes itself.
    created.getModel()?.updateOptions({
      bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false },
    })
    editor.current = created
    const listeners = [
      ...addCommands(created),
      takeFiles(frame.current, created, (file) => now.current.onFile(file)),
      created.onDidChangeModelContent(() => {
        if (!isShowing.current) now.current.onChange(now.current.mark + created.getValue())
      }),
      created.onDidScrollChange(({ scrollTop, scrollTopChanged }) => {
        const line = created.getVisibleRanges()[0]?.startLineNumber
        if (!scrollTopChanged || line === undefined) return
        const top = created.getTopForLineNumber(line)
        const height = created.getTopForLineNumber(line + 1) - top
        now.current.onScroll(line + (height > 0 ? Math.min(1, Math.max(0, (scrollTop - top) / height)) : 0))
      }),
      created.onDidChangeCursorSelection(() => tellSelected(selectionOf(created, now.current.path))),
      created.onDidBlurEditorText(() => tellSelected(undefined)),
      created.onMouseDown(({ target }) => {
        const isMargin = target.type === monaco.editor.MouseTargetType.GUTTER_LINE_NUMBERS
        if (isMargin && target.position) now.current.margin?.onClick(target.position.lineNumber)
      }),
    ]
    // What was just made is written into at once.
    if (hasNothingSaid(initial.current.content.text)) {
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
    setSurroundings(model, surroundings)
    const marks = current.createDecorationsCollection()
    const options = { inlineClassName: 'unresolved' }
    const mark = () => marks.set(unresolvedRanges(model, surroundings).map((range) => ({ range, options })))
    mark()
    let timer: ReturnType<typeof setTimeout> | undefined
    const typing = model.onDidChangeContent(() => {
      clearTimeout(timer)
      timer = setTimeout(mark, settledMs)
    })
    return () => {
      clearTimeout(timer)
      typing.dispose()
      marks.clear()
    }
  }, [surroundings])

  // It replaces what is there as one edit, so that undo and the cursor survive; what is new is marked for a while.
  useEffect(() => {
    const current = editor.current
    const model = current?.getModel()
    const text = content.text.slice(markOf(content.text).length)
    if (!current || !model || content === initial.current.content || model.getValue() === text) return undefined
    const changed = changedLines(model.getValue(), text)
    isShowing.current = true
    current.executeEdits('file', [{ range: model.getFullModelRange(), text }])
    isShowing.current = false
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
        ? { lineNumbers: (number) => besideLine(notes[number - 1] ?? '', number), lineNumbersMinChars: 30 }
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

/** Of the byte order, which is no sign of the text: editors show it as one, where it is put into a text that is there. */
function markOf(text: string): string {
  return text.startsWith('\uFEFF') ? '\uFEFF' : ''
}

/** The commands of that name want the editor to have the focus, which one that is not shown cannot have; its text can. */
function step(model: monaco.editor.ITextModel | null | undefined, way: 'undo' | 'redo'): void {
  const steps: Partial<Record<typeof way, unknown>> & object = model ?? {}
  const go = steps[way]
  if (typeof go === 'function') go.call(model)
}

/** Empty, or a title alone. */
function hasNothingSaid(text: string): boolean {
  return /^(?:#[^\n]*\n)?\s*$/.test(text)
}

/** Who and when, then a rule, then the number: each in a column of its own. */
function besideLine(note: string, number: number): string {
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
  // `[[` is no bracket that lacks its other.
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

/** Lines, and characters of one, up to which the browser itself is asked where each breaks; it lays out all of them for that. */
const maxMeasured = { lines: 2000, characters: 5000 }

/** By the browser, exact for every script; in a long text by columns, in time that a reader does not notice. */
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
 * Actions, not commands: a command stays for good, and with it its editor and all that it showed.
 *
 * @returns what takes them away again
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
    // Tab indents; after Escape it leads on, so that nobody is held here. Back in the editor, it indents again.
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
