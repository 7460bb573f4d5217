import remarkGfm from 'remark-gfm'
import ReactMarkdown, { type Options } from 'react-markdown'
import { renderToStaticMarkup } from 'react-dom/server'
import { createElement } from 'react'
import { rehypeHtml } from '../../src/renderer/markdown/parse/rehype-html.ts'
import { rehypeTaskLines } from '../../src/renderer/markdown/parse/rehype-task-lines.ts'
import { remarkNotes } from '../../src/renderer/markdown/parse/remark-notes.ts'

/** A note's Markdown as the preview makes elements of it, ours by the names that they have before they are drawn. */
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
    // What React adds for a whole page.
  ).replaceAll(/<link rel="preload"[^>]*>/g, '')
