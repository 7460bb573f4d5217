import { useTranslation } from 'react-i18next'
import { clipPassage } from '#lib/util/clip.ts'

const programs: Readonly<Record<string, string>> = {
  dataview: 'Dataview',
  dataviewjs: 'Dataview',
  query: 'Obsidian · Logseq',
  tasks: 'Tasks',
  tracker: 'Tracker',
  chart: 'Charts',
  leaflet: 'Leaflet',
  button: 'Buttons',
  kanban: 'Kanban',
  excalidraw: 'Excalidraw',
  base: 'Bases',
  'meta-bind': 'Meta Bind',
  templater: 'Templater',
  'foam-query': 'Foam',
}

/** @returns undefined for code that is only shown */
export function programOf(language: string): string | undefined {
  return Object.hasOwn(programs, language) ? programs[language] : undefined
}

export function QuietCode({ code, program }: { code: string; program: string }) {
  const { t } = useTranslation()
  return (
    <details className="quiet-code">
      <summary>{t('reading.program', { program })}</summary>
      <pre tabIndex={0}>
        <code>{clipPassage(code, 4000)}</code>
      </pre>
    </details>
  )
}
