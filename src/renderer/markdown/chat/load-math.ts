/** Formulas need a large library: it comes when the first formula does, and until then they stand as written. */
import type { Options } from 'react-markdown'

interface MathPlugins {
  readonly remark: NonNullable<Options['remarkPlugins']>
  readonly rehype: NonNullable<Options['rehypePlugins']>
}

let loading: Promise<MathPlugins> | undefined

export function loadMath(): Promise<MathPlugins> {
  loading ??= load()
  return loading
}

async function load(): Promise<MathPlugins> {
  const [math, katex] = await Promise.all([
    import('remark-math'),
    import('rehype-katex'),
    import('katex/dist/katex.min.css'),
  ])
  return {
    remark: [[math.default, { singleDollarTextMath: false }]],
    // A formula that is wrong, or not complete yet, is shown as it was written.
    rehype: [
      [katex.default, { throwOnError: false, errorColor: 'currentColor', strict: false, maxSize: 30, maxExpand: 200 }],
    ],
  }
}
