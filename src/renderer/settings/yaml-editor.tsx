import { useEffect, useRef } from 'react'
import type { ConfigProblem } from '#shared/contract/index.ts'
import { monaco } from '#lib/util/monaco.ts'

interface YamlEditorProps {
  readonly text: string
  readonly problems: readonly ConfigProblem[]
  readonly onChange: (text: string) => void
}

export default function YamlEditor({ text, problems, onChange }: YamlEditorProps) {
  const frame = useRef<HTMLDivElement>(null)
  const editor = useRef<monaco.editor.IStandaloneCodeEditor>(undefined)
  const latest = useRef({ text, onChange })
  useEffect(() => {
    latest.current = { text, onChange }
  })
  useEffect(() => {
    if (!frame.current) return undefined
    const created = monaco.editor.create(frame.current, {
      value: latest.current.text,
      language: 'yaml',
      ariaLabel: 'config.yaml',
      minimap: { enabled: false },
      automaticLayout: true,
      scrollBeyondLastLine: false,
      tabSize: 2,
      fontSize: 12.5,
      quickSuggestions: false,
      wordBasedSuggestions: 'off',
    })
    editor.current = created
    const listener = created.onDidChangeModelContent(() => latest.current.onChange(created.getValue()))
    return () => {
      listener.dispose()
      created.getModel()?.dispose()
      created.dispose()
    }
  }, [])
  useEffect(() => {
    if (editor.current && editor.current.getValue() !== text) editor.current.setValue(text)
  }, [text])
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
