import { defineConfig } from 'vitest/config'

/** Machines are shared: what a moment without processor time broke is tried once more; what is wrong fails twice. */
const retry = 1
const shared = { globals: false, restoreMocks: true, unstubEnvs: true, retry } as const

export default defineConfig({
  test: {
    maxWorkers: 3,
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          // A window's test starts threads, which are the build's.
          globalSetup: ['test/support/build.ts'],
          testTimeout: 15_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: ['test/support/build.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/build.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
