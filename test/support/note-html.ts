import remarkGfm from 'remark-gfm'
import ReactMarkdown, { type Options } from 'react-markdown'
import { renderToStaticMarkup } from 'react-dom/server'
import { createElement } from 'react'
import { rehypeHtml } from '../../src/renderer/markdown/parse/rehype-html.ts'
import { rehypeTaskLines } from '../../src/renderer/markdown/parse/plugins.ts'
import { remarkNotes } from '../../src/renderer/markdown/parse/remark-notes.ts'

/** Returns the HTML of a note's preview, with the app's own elements by their internal names. */
export const noteHtml = (text: string, more: Options['remarkPlugins'] = []) =>
  renderToStaticMarkup(
    createElement(
      ReactMarkdown,
      {
        remarkPlugins: [[remarkGfm, { singleTilde: false }], remarkNotes, ...(more ?? [])],
        rehypePlugins: [rehypeTaskLines, rehypeHtml],
      },
      text,
    ),
    // React adds preloads for a whole page.
  ).replaceAll(/<link rel="preload"[^>]*>/g, '')
