export {
  dailyLogDate,
  isIgnoredPath,
  isMarkdown,
  isMemoryPath,
  type Layout,
  localDate,
  maxDepth,
  unsearchedFor,
} from './files/layout.ts'
export { isInside, type Place, placeOf, resolveInside } from './files/paths.ts'
export { askDirectly } from './files/stat-batch.ts'
export { readText } from './files/text-files.ts'
export { isBehindLink, walkMarkdown, type WalkProblem } from './files/walk.ts'
