import { useQuery } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import { t } from 'i18next'
import { CodeBlock } from '../document/elements.tsx'

/** Characters. Larger diagrams block the UI during layout, so they are drawn on request. */
const maxAutoDrawLength = 2500
const maxSourceLength = 50_000

let lastId = 0
/** Diagrams are drawn one after the other, since the configuration of Mermaid is global. */
let lastDrawing: Promise<unknown> = Promise.resolve()

export function MermaidDiagram({ code }: { code: string }) {
  const theme = useSyncExternalStore(onThemeChange, () => document.documentElement.dataset['theme'] ?? 'light')
  const [isRequested, setIsRequested] = useState(false)
  const mayDraw = code.length <= maxAutoDrawLength || (isRequested && code.length <= maxSourceLength)
  const { data: drawing, error } = useQuery({
    queryKey: ['diagram', theme, code],
    queryFn: () => {
      const next = lastDrawing.then(() => draw(code, theme))
      lastDrawing = next.catch(() => undefined)
      return next
    },
    enabled: mayDraw,
    retry: false,
    staleTime: 'static',
    // In another theme, the diagram stays visible while it is drawn again.
    placeholderData: (previous, query) => (query?.queryKey[2] === code ? previous : undefined),
  })
  if (!drawing)
    return (
      <>
        <CodeBlock code={code} language="mermaid" />
        {error && (
          <p className="text-[12px] text-muted">
            {t('preview.noDiagram', { reason: error.message.split('\n', 1)[0]?.slice(0, 200) ?? '' })}
          </p>
        )}
        {!mayDraw && code.length <= maxSourceLength && (
          <button type="button" className="no-picture" onClick={() => setIsRequested(true)}>
            {t('preview.draw')}
          </button>
        )}
      </>
    )
  return (
    <figure className="diagram">
      <img src={drawing.url} width={drawing.width} height={drawing.height} alt={t('preview.diagram', { code })} />
    </figure>
  )
}

async function draw(code: string, theme: string) {
  const { default: mermaid } = await import('mermaid')
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: theme === 'dark' ? 'dark' : 'neutral',
    // The default look has shadows, which glow in the dark theme.
    look: 'classic',
    fontFamily: getComputedStyle(document.body).fontFamily,
    maxTextSize: maxSourceLength,
    maxEdges: 500,
    // Also applies to diagrams that request ELK, which is not bundled (`no-elk.ts`).
    layout: 'dagre',
    secure: ['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'suppressErrorRendering', 'layout'],
  })
  lastId += 1
  const { svg } = await mermaid.render(`diagram-${lastId}`, code)
  // Mermaid returns HTML; an image source must be well-formed XML.
  const element = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
  if (!element) throw new Error('Mermaid returned no SVG element')
  const [, , width = 600, height = 400] = (element.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  element.setAttribute('width', String(width))
  element.setAttribute('height', String(height))
  element.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  const text = new XMLSerializer().serializeToString(element)
  const url = `data:image/svg+xml,${encodeURIComponent(text)}`
  return { url, width: Math.ceil(width), height: Math.ceil(height) }
}

function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}
