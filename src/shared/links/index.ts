export { lineOfFragment, slugOf } from './fragment.ts'
export { parseLinks, type NoteLink, type ParsedLinks } from './parse.ts'
export { baseOf, folderOf, keyOf, Resolver, stemOf } from './resolve.ts'
export { applyEdits, movedPath, planRewrites, relativePath, type Move } from './rewrite.ts'
