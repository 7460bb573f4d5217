import { continueLine, formatTable, tableAround, toggleTask } from './markdown-edits.ts'
import { monaco } from '#lib/util/monaco.ts'

/**
 * Actions, not commands: a command stays for good, and with it its editor and all that it showed.
 *
 * @returns what takes them away again
 */
export function addCommands(editor: monaco.editor.IStandaloneCodeEditor): monaco.IDisposable[] {
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
