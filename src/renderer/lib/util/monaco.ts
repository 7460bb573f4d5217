import 'monaco-editor/features/find/register'
import 'monaco-editor/features/folding/register'
import 'monaco-editor/features/links/register'
import 'monaco-editor/features/linesOperations/register'
import 'monaco-editor/features/multicursor/register'
import 'monaco-editor/features/contextmenu/register'
import 'monaco-editor/features/clipboard/register'
import 'monaco-editor/editor/contrib/suggest/browser/suggestController'
import 'monaco-editor/features/suggest/register'
import 'monaco-editor/features/snippet/register'
import 'monaco-editor/features/diffEditor/register'
import 'monaco-editor/languages/definitions/markdown/register'
import 'monaco-editor/languages/definitions/yaml/register'
import * as monaco from 'monaco-editor/editor/editor.api'
import EditorWorker from 'monaco-editor/editor/editor.worker?worker'

self.MonacoEnvironment = { getWorker: () => new EditorWorker() }

export { monaco }

function applyTheme(): void {
  const style = getComputedStyle(document.documentElement)
  const isDark = document.documentElement.dataset['theme'] === 'dark'
  const color = (name: string) => style.getPropertyValue(`--${name}`).match(/#\w+/g)?.[Number(isDark)] ?? ''
  monaco.editor.defineTheme('commonplace', {
    base: isDark ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [
      { token: 'keyword', foreground: color('text').slice(1), fontStyle: 'bold' },
      { token: 'strong', fontStyle: 'bold' },
      { token: 'emphasis', fontStyle: 'italic' },
      { token: 'string.link', foreground: color('accent').slice(1) },
      { token: 'variable', foreground: color('added').slice(1) },
      { token: 'type', foreground: color('accent').slice(1) },
    ],
    colors: {
      'editor.background': color('paper'),
      'editor.foreground': color('text'),
      'editorLineNumber.foreground': color('muted'),
      'editorLineNumber.activeForeground': color('text'),
      'editorLineNumber.dimmedForeground': color('muted'),
      'editor.lineHighlightBackground': color('side'),
      'editor.lineHighlightBorder': color('side'),
      'editorCursor.foreground': color('accent'),
      'editorWidget.background': color('raised'),
      'editorWidget.border': color('line'),
      'editorWidget.foreground': color('text'),
      'editorSuggestWidget.background': color('raised'),
      'editorSuggestWidget.border': color('line'),
      'editorSuggestWidget.foreground': color('text'),
      'editorSuggestWidget.highlightForeground': color('accent'),
      'editorSuggestWidget.focusHighlightForeground': color('accent'),
      'editorSuggestWidget.selectedBackground': color('selected'),
      'editorSuggestWidget.selectedForeground': color('text'),
      'editorSuggestWidget.selectedIconForeground': color('muted'),
      'symbolIcon.fileForeground': color('muted'),
      'symbolIcon.referenceForeground': color('muted'),
      'list.hoverBackground': color('soft'),
      'list.focusBackground': color('selected'),
      focusBorder: color('accent'),
      'input.background': color('paper'),
      'input.border': color('line'),
      'inputOption.activeBackground': color('selected'),
      'inputOption.activeForeground': color('text'),
      'editorIndentGuide.background1': color('soft'),
      'scrollbarSlider.background': `${color('line')}cc`,
    },
  })
  monaco.editor.setTheme('commonplace')
}

applyTheme()
new MutationObserver(applyTheme).observe(document.documentElement, { attributeFilter: ['data-theme'] })
