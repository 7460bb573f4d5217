import { useEffect, useRef } from 'react'
import { monaco } from '#lib/util/monaco.ts'

export default function DiffView({ original, modified, label }: { original: string; modified: string; label: string }) {
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
    const models = {
      original: monaco.editor.createModel(original, 'markdown'),
      modified: monaco.editor.createModel(modified, 'markdown'),
    }
    editor.setModel(models)
    return () => {
      editor.dispose()
      models.original.dispose()
      models.modified.dispose()
    }
  }, [original, modified, label])
  return <div ref={container} className="h-full" data-testid="diff-view" />
}
