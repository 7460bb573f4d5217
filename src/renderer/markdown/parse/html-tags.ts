/** HTML elements for text and images. Other tags (scripts, forms, drawings) are shown as source. */
export const textTags: readonly string[] =
  'a abbr address article aside b big blockquote br caption center cite code dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nobr ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var wbr'.split(
    ' ',
  )

/** Elements that load content. They are replaced with a link or an embed. */
export const mediaTags: readonly string[] = ['iframe', 'video', 'audio', 'source']

const allowed = new Set([...textTags, ...mediaTags, 'button', 'label', 'time'])

/** Returns true if HTML has only tags that the preview can show. Reads tag names as the HTML parser does. */
export function isAllowedHtml(html: string): boolean {
  for (const [, name = ''] of html.matchAll(/<\/?([a-z][^\s/>]*)/gi)) if (!allowed.has(name.toLowerCase())) return false
  return true
}
