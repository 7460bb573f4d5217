import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { dependencies } from './package.json'
import { keptPackages } from './resources/packaging/shipped-packages.ts'

/** Routes have several segments (/file/memory/x.md), so asset URLs must be absolute. */
const absoluteBase: Plugin = {
  name: 'absolute-base',
  enforce: 'post',
  config: { order: 'post', handler: () => ({ base: '/' }) },
}

/** The browser build of this package decodes entities with a DOM element, which workers do not have. */
const withoutPage: Plugin = {
  name: 'without-page',
  enforce: 'pre',
  resolveId: (id) =>
    id === 'decode-named-character-reference'
      ? fileURLToPath(new URL('node_modules/decode-named-character-reference/index.js', import.meta.url))
      : undefined,
}

/** A worker that loads one file instead of two hundred starts in half the time. */
const bundled = Object.keys(dependencies).filter((name) => !keptPackages.includes(name))

/** Modules of the domains below app, and shared ones, have no side effects. Unused exports of an index.ts are left out. */
const treeshake = {
  moduleSideEffects: [{ test: /[\\/]src[\\/](main[\\/](?!app[\\/])|shared[\\/])/, sideEffects: false }],
}

/**
 * Three bundles: `main` (entries for Electron, for the command line with the browser host, and for each worker, which is
 * started as a file), `preload`, and `renderer`, which both hosts serve.
 */
export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      minify: false,
      externalizeDeps: { exclude: bundled },
      rollupOptions: {
        input: {
          index: 'src/main/index.ts',
          'cli/index': 'src/main/app/cli/entry.ts',
          'platform/diff/diff.worker': 'src/main/platform/diff/diff.worker.ts',
          'workspace/find-replace/find.worker': 'src/main/workspace/find-replace/find.worker.ts',
          'workspace/changes/changes.worker': 'src/main/workspace/changes/changes.worker.ts',
          'interop/import/import.worker': 'src/main/interop/import/import.worker.ts',
          'workspace/links/links.worker': 'src/main/workspace/links/links.worker.ts',
          'search/indexing/indexer.worker': 'src/main/search/indexing/indexer.worker.ts',
          'search/indexing/prepare.worker': 'src/main/search/indexing/prepare.worker.ts',
          'search/ranking/searcher.worker': 'src/main/search/ranking/searcher.worker.ts',
          'curation/suggestions/curation.worker': 'src/main/curation/suggestions/curation.worker.ts',
          'workspace/deletion/deletion.worker': 'src/main/workspace/deletion/deletion.worker.ts',
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'shared/[name]-[hash].js' },
        treeshake,
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      minify: true,
      // A sandboxed preload cannot require packages: everything but 'electron' is bundled.
      externalizeDeps: false,
      rollupOptions: {
        input: { index: 'src/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react(), tailwindcss(), absoluteBase],
    worker: { format: 'es', plugins: () => [withoutPage] },
    // Replaces elkjs, an optional layout engine of Mermaid whose licence is not permitted.
    resolve: {
      alias: {
        'elkjs/lib/elk.bundled.js': fileURLToPath(new URL('src/renderer/markdown/preview/no-elk.ts', import.meta.url)),
      },
    },
    build: {
      outDir: 'out/renderer',
      minify: 'oxc',
      target: 'chrome140',
      chunkSizeWarningLimit: 4096,
      // The names of all scripts that a lazy one imports would be part of the first script.
      modulePreload: {
        resolveDependencies: (_file, found, { hostType }) =>
          hostType === 'html' ? found : found.filter((path) => path.endsWith('.css')),
      },
      rollupOptions: {
        input: { index: 'src/renderer/index.html' },
        treeshake,
      },
    },
  },
})
