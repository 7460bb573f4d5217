import { builtInTools } from '../../../src/main/agent/tools/built-in-tools.ts'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MemorySources, VisibleMemory } from '../../../src/main/agent/privacy/visible-memory.ts'
import { ContextManager } from '../../../src/main/agent/compaction/context-manager.ts'
import type { ToolContext } from '../../../src/main/agent/tools/tool.ts'
import { assemble } from '../../../src/main/agent/context/assemble.ts'
import { budgetOf } from '../../../src/main/agent/context/context-budget.ts'
import { compactionState } from '../../../src/main/agent/compaction/compaction-state.ts'
import { AnswerDraft, type ChatModel } from '../../../src/main/llm/model.ts'
import { Transcript } from '../../../src/main/agent/sessions/transcript.ts'
import { marksBy } from '../../../src/main/workspace/privacy/index.ts'
import { Workspace } from '../../../src/main/workspace/files/workspace.ts'
import { AppError } from '../../../src/shared/util/errors.ts'
import { messageText, noUsage, type Message } from '../../../src/shared/chat/messages.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { memoryText } from '../../support/scripted-conversation.ts'
import { defaultSettings } from '../../support/default-settings.ts'
import { rounds } from '../../support/thorough.ts'

/** A model that saves each FACT-n that it is shown, summarises to nothing, and fails when the dice say so. */
function forgetfulModel(contextWindow: number, fails: () => boolean): ChatModel {
  const model = {
    id: 'fake/m',
    provider: 'fake',
    model: 'm',
    contextWindow,
    maxOutput: 1000,
    images: false,
    isLocal: true,
  }
  return {
    ...model,
    async *stream({ messages }) {
      if (fails()) throw new AppError('provider_unavailable', 'out of order', { provider: 'fake' })
      const draft = new AnswerDraft(model)
      const last = messages.at(-1)
      const prompt = last?.role === 'user' ? messageText(last) : ''
      const facts = [...new Set(JSON.stringify(messages).match(/FACT-\d+/g) ?? [])]
      if (prompt.trim() === 'FLUSH' && facts.length > 0) {
        const content = `## 10:00 - Facts\n${facts.join('\n')}`
        draft.content.push({
          type: 'toolCall',
          id: 'w',
          name: 'write',
          arguments: { path: 'memory/2026-01-20.md', append: true, content },
        })
        yield { type: 'done', message: draft.finish('toolUse', noUsage) }
      } else {
        draft.addText(prompt.startsWith('SUMMARY') ? 'They talked.' : 'NO_REPLY')
        yield { type: 'done', message: draft.finish('stop', noUsage) }
      }
    },
  }
}

interface Step {
  readonly size: number
  readonly tool: number
  readonly crash: boolean
  readonly compact: boolean
}

const step: fc.Arbitrary<Step> = fc.record({
  size: fc.integer({ min: 1, max: 6000 }),
  tool: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 60_000 }) },
  ),
  crash: fc.boolean(),
  compact: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
})

describe('context manager', () => {
  it('loses no fact and keeps requests within the window despite failures and crashes (property)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(8192, 16_000, 32_768, 200_000, 1_000_000),
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 20, maxLength: 20 }),
        async (contextWindow, steps, dice) => {
          const folder = await temporaryFolder()
          await mkdir(join(folder, 'w'))
          const workspace = new Workspace({ workspace: join(folder, 'w'), forbidden: [] })
          const file = join(folder, 's.jsonl')
          let transcript = await Transcript.create(file, folder, new Date(2026, 0, 20))
          let rolls = 0
          const model = forgetfulModel(contextWindow, () => (dice[(rolls += 1) % dice.length] ?? 9) < 2)
          const budget = budgetOf(model, defaultSettings.compaction)
          const assembled = async () => {
            const { summary, pruned, liveMessages } = compactionState(transcript.branch())
            return {
              sources: [],
              ...assemble({
                purpose: { kind: 'chat', today: '2026-01-20', time: '10:30', todaysLog: 'memory/2026-01-20.md' },
                model,
                systemPrompt: 'x',
                files: [],
                tools: [],
                summary,
                pruned,
                settings: defaultSettings,
                messages: liveMessages.map(({ message }) => message),
                now: 0,
              }),
            }
          }
          const keeper = () =>
            new ContextManager({
              transcript,
              model,
              budget: () => budget,
              settings: () => defaultSettings,
              prompts: async () => ({
                system: () => '',
                systemSmall: () => 'small',
                systemWithoutTools: () => 'plain',
                withoutMemory: () => '',
                flushSystem: () => '',
                flush: () => 'FLUSH',
                flushSmall: () => 'FLUSH',
                compaction: ({ conversation, earlier }) => `SUMMARY ${conversation} ${earlier}`,
                title: () => '',
                conflicts: () => '',
                promote: () => '',
                sessionSummary: () => '',
              }),
              tools: builtInTools,
              assemble: assembled,
              toolContext: {
                workspace,
                signal: new AbortController().signal,
                now: () => new Date(2026, 0, 20, 10),
                origin: { cause: 'agent' },
                mayWrite: () => true,
                limits: { timeoutMs: 5000, outputCharacters: 50_000 },
                session: 's',
                visible: new VisibleMemory({ marks: () => marksBy([]) } as unknown as MemorySources, {
                  seesPrivate: false,
                }),
                sources: [],
                userText: '',
              } as unknown as ToolContext,
              onStart: async () => undefined,
            })
          for (const [index, { size, tool, crash, compact }] of steps.entries()) {
            const answer = (calls: boolean): Message => ({
              role: 'assistant',
              content: calls
                ? [{ type: 'toolCall', id: `c${index}`, name: 'read', arguments: {} }]
                : [{ type: 'text', text: 'ok' }],
              provider: 'p',
              model: 'm',
              usage: noUsage,
              stopReason: 'stop',
              timestamp: 0,
            })
            await transcript.appendMessage({
              role: 'user',
              content: `FACT-${index} ${'w '.repeat(size)}`,
              timestamp: 0,
            })
            await keeper().prepare()
            if (tool > 0) {
              await transcript.appendMessage(answer(true))
              await transcript.appendMessage({
                role: 'toolResult',
                toolCallId: `c${index}`,
                toolName: 'read',
                content: [{ type: 'text', text: 'r '.repeat(tool) }],
                isError: false,
                timestamp: 0,
              })
              await keeper().prepare()
            }
            if (compact) await keeper().compact(undefined)
            await transcript.appendMessage(answer(false))
            if (crash) transcript = await Transcript.open(file)
          }
          const state = compactionState(transcript.branch())
          const known = [
            await memoryText(join(folder, 'w')),
            ...[...state.liveMessages, ...state.untaken].map(({ message }) => messageText(message)),
          ].join('\n')
          for (let index = 0; index < steps.length; index += 1) expect(known).toMatch(new RegExp(`FACT-${index}\\b`))
          const said = (await readFile(file, 'utf8')).match(/"role":"user"/g)
          expect(said).toHaveLength(steps.length)
        },
      ),
      { numRuns: rounds(10, 40) },
    )
  }, 120_000)
})
