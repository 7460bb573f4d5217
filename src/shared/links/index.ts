export { lineOfFragment, slugOf } from './fragment.ts'
export { parseLinks, type NoteLink, type ParsedLinks } from './parse.ts'
export { pageOf } from './pages.ts'
export { baseOf, folderOf, keyOf, Resolver, stemOf } from './resolve.ts'
export {
  applyEdits,
  movedPath,
  planRewrites,
  relativePath,
  rewriteLinks,
  type Edit,
  type LeftLink,
  type Move,
  type RewrittenFile,
} from './rewrite.ts'
