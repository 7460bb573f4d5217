import { defineConfig } from 'vitest/config'

const shared = {
  globals: false,
  restoreMocks: true,
  unstubEnvs: true,
  // The process that serves programs ends soon after the last one.
  env: { COMMONPLACE_OWNER_SECONDS: '1' },
  // A busy machine can take seconds.
  expect: { poll: { timeout: 10_000 } },
} as const

/** Unit tests that mock modules, start workers or change the process. Each file runs in its own process. */
const isolatedUnit = [
  'test/unit/app/electron/**/*.test.ts',
  'test/unit/agent/reset.test.ts',
  'test/unit/platform/files.test.ts',
  'test/unit/platform/thread.test.ts',
  'test/unit/search/watcher.test.ts',
]

export default defineConfig({
  test: {
    // More than the cores of a small machine: browser tests often wait.
    maxWorkers: 3,
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: isolatedUnit,
          isolate: false,
          globalSetup: ['test/support/build.ts'],
          testTimeout: 15_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'unit-isolated',
          include: isolatedUnit,
          // Tests of windows start workers from the build.
          globalSetup: ['test/support/build.ts'],
          testTimeout: 15_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          isolate: false,
          // Workers and other processes can be slow on a busy machine.
          retry: 1,
          globalSetup: ['test/support/build.ts'],
          testTimeout: 60_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          isolate: false,
          globalSetup: ['test/support/build.ts', 'test/support/shared-browser.ts'],
          // Pages can be slow on a busy machine.
          retry: 1,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
