import { useEffect, useRef } from 'react'
import type { ConfigProblem } from '#shared/contract/index.ts'
import { applyTheme, monaco } from '#lib/util/monaco.ts'
import type { JsonSchema } from './setting-rows.ts'
import { completeYaml } from './yaml-completion.ts'

interface YamlEditorProps {
  readonly label: string
  /** Text to show. A new object replaces the edited text. */
  readonly content: { readonly text: string }
  readonly schema: JsonSchema
  readonly problems: readonly ConfigProblem[]
  readonly onChange: (text: string) => void
}

export default function YamlEditor({ label, content, schema, problems, onChange }: YamlEditorProps) {
  const frame = useRef<HTMLDivElement>(null)
  const editor = useRef<monaco.editor.IStandaloneCodeEditor>(undefined)
  const now = useRef({ label, content, schema, onChange })
  useEffect(() => {
    now.current = { label, content, schema, onChange }
  })
  useEffect(() => {
    if (!frame.current) return undefined
    applyTheme()
    const created = monaco.editor.create(frame.current, {
      value: now.current.content.text,
      language: 'yaml',
      ariaLabel: now.current.label,
      minimap: { enabled: false },
      automaticLayout: true,
      scrollBeyondLastLine: false,
      tabSize: 2,
      fontSize: 12.5,
      quickSuggestions: { other: true, comments: false, strings: true },
      wordBasedSuggestions: 'off',
    })
    editor.current = created
    const model = created.getModel()
    const provider = monaco.languages.registerCompletionItemProvider('yaml', {
      triggerCharacters: [' ', ':', '\n'],
      provideCompletionItems(asked, position) {
        if (asked !== model) return { suggestions: [] }
        const word = asked.getWordUntilPosition(position)
        const range = new monaco.Range(position.lineNumber, word.startColumn, position.lineNumber, position.column)
        const found = completeYaml(
          now.current.schema,
          asked.getLinesContent(),
          position.lineNumber - 1,
          position.column - 1,
        )
        return {
          suggestions: found.map((one) => ({
            label: one.label,
            detail: one.detail,
            insertText: one.insert,
            kind: one.insert.includes(':')
              ? monaco.languages.CompletionItemKind.Property
              : monaco.languages.CompletionItemKind.Value,
            range,
          })),
        }
      },
    })
    const listener = created.onDidChangeModelContent(() => now.current.onChange(created.getValue()))
    const themes = new MutationObserver(applyTheme)
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      themes.disconnect()
      listener.dispose()
      provider.dispose()
      model?.dispose()
      created.dispose()
    }
  }, [])
  useEffect(() => {
    const current = editor.current
    if (current && current.getValue() !== content.text) current.setValue(content.text)
  }, [content])
  useEffect(() => {
    const model = editor.current?.getModel()
    if (!model) return
    monaco.editor.setModelMarkers(
      model,
      'config',
      problems.map(({ key, line, message }) => ({
        severity: monaco.MarkerSeverity.Error,
        message: key === '' ? message : `${key}: ${message}`,
        startLineNumber: line ?? 1,
        endLineNumber: line ?? 1,
        startColumn: model.getLineFirstNonWhitespaceColumn(Math.min(line ?? 1, model.getLineCount())) || 1,
        endColumn: model.getLineMaxColumn(Math.min(line ?? 1, model.getLineCount())),
      })),
    )
  }, [problems])
  return <div ref={frame} className="min-h-0 flex-1" />
}
