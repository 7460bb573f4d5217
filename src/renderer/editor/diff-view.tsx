import { useEffect, useRef } from 'react'
import { applyTheme, monaco } from '#lib/util/monaco.ts'

export default function DiffView({ theirs, mine, label }: { theirs: string; mine: string; label: string }) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!frame.current) return undefined
    applyTheme()
    const created = monaco.editor.createDiffEditor(frame.current, {
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
      original: monaco.editor.createModel(theirs, 'markdown'),
      modified: monaco.editor.createModel(mine, 'markdown'),
    }
    created.setModel(models)
    return () => {
      created.dispose()
      models.original.dispose()
      models.modified.dispose()
    }
  }, [theirs, mine, label])
  return <div ref={frame} className="h-full" data-testid="diff-view" />
}
