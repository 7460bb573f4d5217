import { useEffect, useEffectEvent, useImperativeHandle, useRef, type Ref } from 'react'
import { t } from 'i18next'
import { visibilityOf } from '#shared/markdown/visibility.ts'
import { linesWithMarks } from '#shared/markdown/visibility-edit.ts'
import type { LineChange } from '../markdown/parse/line-edits.ts'
import { reportSelection, type SelectedText } from '#lib/util/selected-text.ts'
import { changedLines, continueLine, formatTable, tableAround, toggleTask } from './markdown-edits.ts'
import { linkContexts, registerMarkdown, unresolvedRanges, type LinkContext } from './markdown-language.ts'
import { monaco } from '#lib/util/monaco.ts'
import type { MarkedLines } from '#lib/router/paths.ts'
import { handlePastedFiles } from './attachments.ts'

const checkDebounceMs = 300

const changeHighlightMs = 6000

/** A column behind the end of every line; Monaco moves it to the end. */
const maxColumn = 1_000_000_000

export interface EditorHandle {
  /** Scrolls to a 1-based line. */
  reveal(line: number): void
  /** Edits a 1-based line as one undo step. Does nothing if the line no longer matches. */
  change(line: number, change: LineChange): void
  /** Adds privacy marks, and saves. @param isAsked gets 0-based lines */
  makePrivate(isAsked: (line: number) => boolean): void
  undo(): void
  redo(): void
}

interface EditorProps {
  readonly ref?: Ref<EditorHandle>
  /** Text to show. A new object replaces the text of the editor. Typing does not change this object. */
  readonly content: { readonly text: string }
  readonly marked: MarkedLines | undefined
  readonly label: string
  readonly linkContext: LinkContext
  /** Text beside each line and a click handler; undefined shows only line numbers. */
  readonly margin: { readonly notes: readonly string[]; readonly onClick: (line: number) => void } | undefined
  readonly onChange: (text: string) => void
  readonly onSave: () => void
  /** Stores a pasted or dropped file. @returns the link to insert, or undefined if it failed and a toast was shown */
  readonly onFile: (file: File) => Promise<string | undefined>
  /** @param line 1-based top line; its fraction is the share of the line that is scrolled out of view */
  readonly onScroll: (line: number) => void
}

export default function Editor(props: EditorProps) {
  const { ref, content, marked, linkContext, margin } = props
  const container = useRef<HTMLDivElement>(null)
  const editor = useRef<monaco.editor.IStandaloneCodeEditor>(undefined)
  const latest = useEffectEvent(() => props)
  // Only for the first render; later values are applied to the existing editor.
  const initial = useRef(props)
  // While `content` is applied, a change event is not typing. Monaco normalizes line ends, so the text may differ.
  const isApplyingContent = useRef(false)
  useImperativeHandle(ref, () => ({
    reveal(lineNumber) {
      editor.current?.revealLineNearTop(lineNumber)
      editor.current?.setPosition({ lineNumber, column: 1 })
      editor.current?.focus()
    },
    change(lineNumber, change) {
      const model = editor.current?.getModel()
      if (!model || lineNumber < 1 || lineNumber > model.getLineCount()) return
      const edit = change(model.getLineContent(lineNumber))
      if (!edit) return
      replace(editor.current, new monaco.Range(lineNumber, edit.from + 1, lineNumber, edit.to + 1), edit.text)
    },
    makePrivate: (isAsked) => editor.current && makePrivate(editor.current, props.onSave, isAsked),
    // Runs on the model: the command of the editor requires focus, which a hidden editor cannot have.
    undo: () => void editor.current?.getModel()?.undo(),
    redo: () => void editor.current?.getModel()?.redo(),
  }))

  useEffect(() => {
    if (!container.current) return undefined
    registerMarkdown()
    const instance = monaco.editor.create(container.current, {
      ...editorOptions,
      value: initial.current.content.text,
      wrappingStrategy: wrappingStrategyOf(initial.current.content.text),
      ariaLabel: initial.current.label,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono') || 'monospace',
    })
    // Models that Monaco creates do not inherit the editor's setting.
    instance.getModel()?.updateOptions({
      bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false },
    })
    editor.current = instance
    const disposables = [
      ...addCommands(instance),
      handlePastedFiles(container.current, instance, (file) => latest().onFile(file)),
      instance.onDidChangeModelContent(() => {
        const { onChange, content: shown } = latest()
        if (!isApplyingContent.current) onChange(byteOrderMarkOf(shown.text) + instance.getValue())
      }),
      instance.onDidScrollChange(({ scrollTop, scrollTopChanged }) => {
        const topLine = instance.getVisibleRanges()[0]?.startLineNumber
        if (!scrollTopChanged || topLine === undefined) return
        const top = instance.getTopForLineNumber(topLine)
        const height = instance.getTopForLineNumber(topLine + 1) - top
        latest().onScroll(topLine + (height > 0 ? Math.min(1, Math.max(0, (scrollTop - top) / height)) : 0))
      }),
      instance.onDidChangeCursorSelection(() => reportSelection(selectionOf(instance, latest()))),
      instance.onDidBlurEditorText(() => reportSelection(undefined)),
      instance.onMouseDown(({ target }) => {
        const isMargin = target.type === monaco.editor.MouseTargetType.GUTTER_LINE_NUMBERS
        if (isMargin && target.position) latest().margin?.onClick(target.position.lineNumber)
      }),
    ]
    const isBlank = /^(?:#[^\n]*\n)?\s*$/.test(initial.current.content.text)
    if (isBlank) instance.setPosition({ lineNumber: instance.getModel()?.getLineCount() ?? 1, column: 1 })
    // The user has just created a note without text, or opened a note from the palette. Dialogs and menus keep the focus.
    const { activeElement } = document
    const isFree = isBlank ? !activeElement?.closest('[role=dialog], [role=menu]') : activeElement === document.body
    if (isFree) instance.focus()
    return () => {
      for (const disposable of disposables) disposable.dispose()
      instance.getModel()?.dispose()
      instance.dispose()
      editor.current = undefined
    }
  }, [])

  useEffect(() => {
    const instance = editor.current
    const model = instance?.getModel()
    if (!instance || !model) return undefined
    linkContexts.set(model, linkContext)
    const decorations = instance.createDecorationsCollection()
    const options = { inlineClassName: 'unresolved' }
    const markLines = () =>
      decorations.set([
        ...unresolvedRanges(model, linkContext).map((range) => ({ range, options })),
        ...privateMarks(model),
      ])
    markLines()
    let timer: ReturnType<typeof setTimeout> | undefined
    const listener = model.onDidChangeContent(() => {
      clearTimeout(timer)
      timer = setTimeout(markLines, checkDebounceMs)
    })
    return () => {
      clearTimeout(timer)
      listener.dispose()
      decorations.clear()
    }
  }, [linkContext])

  // Replaces the text as one edit, which keeps undo and cursor, and highlights the changed lines.
  useEffect(() => {
    const instance = editor.current
    const model = instance?.getModel()
    const text = content.text.slice(byteOrderMarkOf(content.text).length)
    if (!instance || !model || content === initial.current.content || model.getValue() === text) return undefined
    const changed = changedLines(model.getValue(), text)
    const [selections, caret] = [instance.getSelections(), instance.getSelection()?.getEndPosition()]
    // Text that another program appends must not move a caret at the end of the text.
    const isKept = caret && text.startsWith(model.getValue().slice(0, model.getOffsetAt(caret)))
    isApplyingContent.current = true
    const edit = { range: model.getFullModelRange(), text }
    instance.executeEdits('file', [edit], isKept ? () => selections : undefined)
    isApplyingContent.current = false
    if (!changed) return undefined
    const range = new monaco.Range(changed.from, 1, changed.to, 1)
    const options = { isWholeLine: true, className: 'changed-line' }
    const decorations = instance.createDecorationsCollection([{ range, options }])
    const timer = setTimeout(() => decorations.clear(), changeHighlightMs)
    return () => {
      clearTimeout(timer)
      decorations.clear()
    }
  }, [content])

  useEffect(() => {
    const notes = margin?.notes
    editor.current?.updateOptions(
      notes
        ? { lineNumbers: (line) => formatMargin(notes[line - 1] ?? '', line), lineNumbersMinChars: 30 }
        : { lineNumbers: 'on', lineNumbersMinChars: 4 },
    )
  }, [margin])

  useEffect(() => {
    const instance = editor.current
    const model = instance?.getModel()
    if (!instance || !model || !marked) return undefined
    const { startLine, endLine, words } = marked
    instance.revealLinesInCenter(startLine, endLine)
    instance.setPosition({ lineNumber: startLine, column: 1 })
    instance.focus()
    const lines = new monaco.Range(startLine, 1, endLine, maxColumn)
    const found = words.flatMap((word) => model.findMatches(word, lines, false, false, null, false))
    const decorations = instance.createDecorationsCollection([
      { range: lines, options: { isWholeLine: true, className: 'found-line' } },
      ...found.map(({ range }) => ({ range, options: { inlineClassName: 'found-word' } })),
    ])
    return () => decorations.clear()
  }, [marked])

  return <div ref={container} className={`h-full ${margin ? 'has-notes' : ''}`} data-testid="editor" />
}

/** Returns a lock for each private line of a note that also has open ones. */
function privateMarks(model: monaco.editor.ITextModel): monaco.editor.IModelDeltaDecoration[] {
  const { isFullyPrivate, privateLines } = visibilityOf(model.getLinesContent().join('\n'))
  if (isFullyPrivate) return []
  const options = { linesDecorationsClassName: 'private-line', linesDecorationsTooltip: t('private.line') }
  return Array.from(privateLines, (line) => ({ range: new monaco.Range(line + 1, 1, line + 1, 1), options }))
}

/** Returns the byte order mark, or an empty string. Monaco would show it as a character in replaced text. */
function byteOrderMarkOf(text: string): string {
  return text.startsWith('\uFEFF') ? '\uFEFF' : ''
}

function formatMargin(note: string, lineNumber: number): string {
  const maxLength = 22
  const clipped = note.length > maxLength ? `${note.slice(0, maxLength - 1)}…` : note
  return `${clipped} │ ${String(lineNumber).padStart(4, '\u2007')}`
}

const editorOptions: monaco.editor.IStandaloneEditorConstructionOptions = {
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

/** In longer texts Monaco computes line breaks itself, since the browser would have to lay out all lines. */
const maxMeasured = { lines: 2000, characters: 5000 }

function wrappingStrategyOf(text: string): 'advanced' | 'simple' {
  const lines = text.split('\n', maxMeasured.lines)
  const isShort = lines.length < maxMeasured.lines && lines.every((line) => line.length <= maxMeasured.characters)
  return isShort ? 'advanced' : 'simple'
}

function selectionOf(editor: monaco.editor.IStandaloneCodeEditor, props: EditorProps): SelectedText | undefined {
  const selection = editor.getSelection()
  const end = selection && editor.getScrolledVisiblePosition(selection.getEndPosition())
  const bounds = editor.getDomNode()?.getBoundingClientRect()
  const text = selection ? (editor.getModel()?.getValueInRange(selection).trim() ?? '') : ''
  if (!selection || !end || !bounds || text === '') return undefined
  const place = { path: props.linkContext.path, line: selection.startLineNumber }
  const [left, bottom] = [bounds.left + end.left, bounds.top + end.top + end.height]
  return { text, left, bottom, place, makePrivate: () => makeSelectionPrivate(editor, props.onSave) }
}

/** Registers actions, not commands: a command is never disposed and would keep the editor alive. */
function addCommands(editor: monaco.editor.IStandaloneCodeEditor): monaco.IDisposable[] {
  const { KeyCode, KeyMod } = monaco
  const add = (id: string, key: number, run: () => void, keybindingContext?: string) =>
    editor.addAction({ id, label: id, keybindings: [key], run, ...(keybindingContext && { keybindingContext }) })
  const withOneCursor = 'editorTextFocus && !suggestWidgetVisible && !editorHasMultipleSelections'
  const withoutSelection = `${withOneCursor} && !findWidgetVisible && !editorHasSelection`
  return [
    add('markdown.enter', KeyCode.Enter, () => continueOnEnter(editor), withOneCursor),
    // Tab indents. After Escape, Tab moves the focus, so that keyboard users can leave; on blur, it indents again.
    add('markdown.leave', KeyCode.Escape, () => editor.updateOptions({ tabFocusMode: true }), withoutSelection),
    editor.onDidBlurEditorText(() => editor.updateOptions({ tabFocusMode: false })),
    add('markdown.toggleTask', KeyMod.CtrlCmd | KeyCode.Enter, () =>
      changeLines(editor, (lines) => lines.map(toggleTask)),
    ),
    add('markdown.formatTable', KeyMod.Alt | KeyMod.Shift | KeyCode.KeyF, () => {
      const lines = editor.getModel()?.getLinesContent() ?? []
      const table = tableAround(lines, editor.getPosition()?.lineNumber ?? 1)
      if (table) changeLines(editor, (rows) => formatTable(rows) ?? rows, table.from, table.to)
    }),
  ]
}

function continueOnEnter(editor: monaco.editor.IStandaloneCodeEditor): void {
  const model = editor.getModel()
  const selection = editor.getSelection()
  const lineNumber = selection?.positionLineNumber ?? 0
  const line = model && selection?.isEmpty() ? model.getLineContent(lineNumber) : ''
  const isAtEnd = selection !== null && selection.positionColumn > line.trimEnd().length
  const effect = isAtEnd ? continueLine(line) : undefined
  if (!model || !selection || !effect) return editor.trigger('keyboard', 'type', { text: '\n' })
  editor.pushUndoStop()
  if ('insert' in effect) editor.trigger('keyboard', 'type', { text: effect.insert })
  else editor.executeEdits('list', [{ range: new monaco.Range(lineNumber, 1, lineNumber, line.length + 1), text: '' }])
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
  replace(editor, range, change(model.getValueInRange(range).split('\n')).join('\n'))
}

function makeSelectionPrivate(editor: monaco.editor.IStandaloneCodeEditor, save: () => void): void {
  const selection = editor.getSelection()
  if (!selection) return
  const { startLineNumber: from, endLineNumber, endColumn } = selection
  // A selection of whole lines ends before the first column of the next line.
  const to = Math.max(from, endLineNumber - Number(endColumn === 1))
  makePrivate(editor, save, (index) => from <= index + 1 && index < to)
}

function makePrivate(
  editor: monaco.editor.IStandaloneCodeEditor,
  save: () => void,
  isAsked: (line: number) => boolean,
): void {
  const model = editor.getModel()
  if (!model) return
  const marked = linesWithMarks(model.getLinesContent().join('\n'), isAsked)
  for (const [index, text] of [...(marked ?? [])].toReversed())
    replace(editor, new monaco.Range(index + 1, 1, index + 1, model.getLineMaxColumn(index + 1)), text)
  save()
}

function replace(editor: monaco.editor.ICodeEditor | undefined, range: monaco.Range, text: string): void {
  editor?.pushUndoStop()
  editor?.executeEdits('markdown', [{ range, text }])
  editor?.pushUndoStop()
}

export function DiffView({ original, modified, label }: { original: string; modified: string; label: string }) {
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!container.current) return undefined
    const editor = monaco.editor.createDiffEditor(container.current, {
      automaticLayout: true,
      readOnly: true,
      // The gutter menu accesses the editor after it is disposed.
      renderGutterMenu: false,
      renderSideBySide: true,
      wordWrap: 'on',
      fontSize: 13,
      lineHeight: 22,
      minimap: { enabled: false },
      scrollBeyondLastLine: false,
      originalAriaLabel: label,
      modifiedAriaLabel: label,
    })
    const models = [original, modified].map((text) => monaco.editor.createModel(text, 'markdown'))
    if (models[0] && models[1]) editor.setModel({ original: models[0], modified: models[1] })
    return () => {
      for (const disposable of [editor, ...models]) disposable.dispose()
    }
  }, [original, modified, label])
  return <div ref={container} className="h-full" data-testid="diff-view" />
}
