export { canvasFiles, canvasLinks, inJson, isCanvas, rewriteCanvas, type CanvasFile } from './canvas.ts'
export { lineOfFragment, slugOf } from './fragment.ts'
export { parseLinks, type NoteLink, type ParsedLinks } from './parse.ts'
export { pageOf } from './pages.ts'
export { canStandBeside, notProse } from './prose.ts'
export { splitTarget, wholeTarget, type LinkTarget } from './target.ts'
export { baseOf, folderOf, keyOf, Resolver, stemOf, type KnownFile } from './resolve.ts'
export {
  applyEdits,
  inlineInstead,
  isWritable,
  markdownLink,
  movedPath,
  planRewrites,
  relativePath,
  rewriteLinks,
  type Edit,
  type LeftLink,
  type LinkingFile,
  type Move,
  type RewrittenFile,
} from './rewrite.ts'
