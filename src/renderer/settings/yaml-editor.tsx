import { useEffect, useEffectEvent, useRef } from 'react'
import type { ConfigProblem } from '#shared/contract/index.ts'
import { monaco } from '#lib/util/monaco.ts'

interface YamlEditorProps {
  readonly label: string
  /** Text to show. A new object replaces the edited text. */
  readonly content: { readonly text: string }
  readonly problems: readonly ConfigProblem[]
  readonly onChange: (text: string) => void
}

export default function YamlEditor({ label, content, problems, onChange }: YamlEditorProps) {
  const frame = useRef<HTMLDivElement>(null)
  const editor = useRef<monaco.editor.IStandaloneCodeEditor>(undefined)
  const latest = useEffectEvent(() => ({ label, content, onChange }))
  useEffect(() => {
    if (!frame.current) return undefined
    const created = monaco.editor.create(frame.current, {
      value: latest().content.text,
      language: 'yaml',
      ariaLabel: latest().label,
      minimap: { enabled: false },
      automaticLayout: true,
      scrollBeyondLastLine: false,
      tabSize: 2,
      fontSize: 12.5,
      quickSuggestions: false,
      wordBasedSuggestions: 'off',
    })
    editor.current = created
    const listener = created.onDidChangeModelContent(() => latest().onChange(created.getValue()))
    return () => {
      listener.dispose()
      created.getModel()?.dispose()
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
