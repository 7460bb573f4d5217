import type { Options } from 'react-markdown'
import remarkCjk from 'remark-cjk-friendly/parseOnly'
import remarkGfm from 'remark-gfm'
import { remarkLineBreaks } from './remark-line-breaks.ts'
import { remarkNotes } from './remark-notes.ts'

type Plugins = NonNullable<Options['remarkPlugins']>

export function notePlugins(hasLineBreaks: boolean, math: Plugins = []): Plugins {
  // `H~2~O` strikes nothing through: it takes two.
  const plugins: Plugins = [[remarkGfm, { singleTilde: false }], remarkCjk, ...math, remarkNotes]
  return hasLineBreaks ? [...plugins, remarkLineBreaks] : plugins
}
