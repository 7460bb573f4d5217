/** Base of the worker entries: `src/main/` in a checkout, `out/main/` in the build. */
export const mainFolder = new URL(import.meta.url.endsWith('.ts') ? '../../' : '../', import.meta.url)
