/** Accepts and undoes random suggestions until it is killed. */
import { join } from 'node:path'
import { visibilityOf } from '../../src/shared/markdown/visibility.ts'
import { Differ } from '../../src/main/platform/diff/differ.ts'
import { SuggestionService } from '../../src/main/curation/suggestions/suggestions.ts'
import type { ReviewModel } from '../../src/main/curation/review/review.ts'
import { prepareReviewInput } from '../../src/main/curation/suggestions/scan-notes.ts'
import { ChangeLog } from '../../src/main/workspace/changes/change-log.ts'
import { Workspace } from '../../src/main/workspace/files/workspace.ts'
import { defaultLayout } from '../../src/main/workspace/files/layout.ts'

/** Opens the suggestions of a folder without the rest of its agent. */
export function openSuggestionsOf(
  folder: string,
  state: string,
  answer: (content: string) => string = () => '',
): { suggestions: SuggestionService; workspace: Workspace; log: ChangeLog; close(): void } {
  const log = new ChangeLog(join(state, 'changes.sqlite'), folder)
  const workspace = new Workspace({ workspace: folder, forbidden: [], readable: () => [] }, { log })
  const suggestions = new SuggestionService({
    folder: state,
    workspace,
    log,
    differ: new Differ(),
    now: () => new Date(),
    privacyOf: (_path, text) => visibilityOf(text),
    scan: () => Promise.reject(new Error('nothing is looked for')),
    compare: () => Promise.reject(new Error('nothing is saved')),
    review: reviewBy(folder, answer),
    onDamaged: (aside) => {
      throw new Error(`the inbox was damaged: ${aside}`)
    },
  })
  const close = () => {
    suggestions.close()
    workspace.close()
    log.close()
  }
  return { suggestions, workspace, log, close }
}

/** Creates a review with a scripted model. */
function reviewBy(workspace: string, answer: (content: string) => string) {
  const model: ReviewModel = {
    id: 'scripted',
    isOffline: false,
    contextWindow: 100_000,
    maxOutput: 4000,
    prices: undefined,
    ask: async (content) => ({ text: answer(content), tokens: 1, usd: null, request: 1 }),
  }
  const request = {
    workspace,
    forbidden: [],
    scope: 'workspace',
    layout: defaultLayout,
    privateRules: { roots: [], rules: [] },
    modelPath: '',
  } as const
  return {
    model: () => model,
    budget: () => ({ usd: null, tokens: null }),
    prompts: async () => ({
      conflicts: ({ lines, pairs }: { lines: string; pairs: string }) =>
        `<lines>\n${lines}\n</lines>\nby their numbers: ${pairs}`,
      promote: ({ lines, memory }: { lines: string; memory: string }) =>
        `<lines>\n${lines}\n</lines>\n<memory>\n${memory}\n</memory>`,
    }),
    reviewInput: () => prepareReviewInput(request),
  }
}

if (import.meta.main) {
  const [folder = '', state = ''] = process.argv.slice(2)
  const { suggestions } = openSuggestionsOf(folder, state)
  process.stdout.write('ready\n')
  for (;;) {
    const { open, done } = await suggestions.list()
    const some = open.filter(() => Math.random() < 0.5).map(({ id }) => id)
    const taken = done.filter(({ state }) => state === 'accepted').map((one) => one.acceptance)
    const back = taken[Math.floor(Math.random() * taken.length)]
    if (some.length > 0 && (back === undefined || Math.random() < 0.5)) await suggestions.accept(some)
    else if (back !== undefined) await suggestions.undo(back)
  }
}
