/** Keys of the editor that know Markdown: lists that go on, tasks, tables. */
import { continueLine, formatTable, tableAround, toggleTask } from './markdown-edits.ts'
import { monaco } from '../ui/monaco.ts'

export function addCommands(editor: monaco.editor.IStandaloneCodeEditor): void {
  const { KeyCode, KeyMod } = monaco
  editor.addCommand(
    KeyCode.Enter,
    () => enter(editor),
    'editorTextFocus && !suggestWidgetVisible && !editorHasMultipleSelections',
  )
  // Tab indents; after Escape it leads on, so that nobody is held here. Back in the editor, it indents again.
  editor.addCommand(
    KeyCode.Escape,
    () => editor.updateOptions({ tabFocusMode: true }),
    'editorTextFocus && !suggestWidgetVisible && !findWidgetVisible && !editorHasMultipleSelections && !editorHasSelection',
  )
  editor.onDidBlurEditorText(() => editor.updateOptions({ tabFocusMode: false }))
  editor.addAction({
    id: 'markdown.toggleTask',
    label: 'markdown.toggleTask',
    keybindings: [KeyMod.CtrlCmd | KeyCode.Enter],
    run: () => changeLines(editor, (lines) => lines.map(toggleTask)),
  })
  editor.addAction({
    id: 'markdown.formatTable',
    label: 'markdown.formatTable',
    keybindings: [KeyMod.Alt | KeyMod.Shift | KeyCode.KeyF],
    run: () => alignTable(editor),
  })
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
