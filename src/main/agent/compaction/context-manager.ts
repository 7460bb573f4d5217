/**
 * Keeps a conversation within its model's window without losing anything. Before each request it looks how
 * full the window is; then it prunes, flushes, compacts, in that order, as far as is due. Each step is an entry of the
 * transcript, written when it is done, so that a crash in between repeats a step and never skips one. What has failed is
 * not asked for again in the next turn: answers go on meanwhile, and before a request grows past the window its oldest
 * turns are left out.
 */
import type { ContextReport, KeepingStep } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { messageText, type Message } from '#shared/chat/messages.ts'
import { assertFlushed, isResting, keepingState, type KeepingState } from './compaction-state.ts'
import { cutOf, dueStep, factorOf, fixedTokens, keepOf, requestTokens, type KeepingInput } from './due-steps.ts'
import { messageTokens } from '../context/message-tokens.ts'
import { mostTokens, summaryTokens } from '../context/context-budget.ts'
import type { Assembly } from '../context/assemble.ts'
import { softTrim, type PrunePlan } from './prune.ts'
import { withheldMessages, type Look } from '#llm'
import { noticeEntry } from '../sessions/session-events.ts'
import type { KeptContent } from '../sessions/transcript-entries.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { sourceName, type Source } from '#shared/markdown/provenance.ts'
import { originsOf } from '../chat/provenance-tracking.ts'
import { Notes, type NotesOptions } from './write-notes.ts'
import { whileItShrinks } from './overflow.ts'
import { summarize } from './summarize.ts'

export interface KeeperOptions extends NotesOptions {
  readonly transcript: Transcript
  /** Durable notes are saved before anything is summarised. */
  readonly flushes: boolean
  readonly assemble: () => Promise<Assembly>
  /** The last report that the provider has answered. */
  readonly lastReport: () => ContextReport | undefined
  /** Nothing of the conversation is to be kept: it is summarised for itself alone. */
  readonly isApart: () => boolean
  /** What may take a while has begun. */
  readonly onStart: (what: 'flush' | 'compaction') => void
  /** What of the memory stays on this machine, as it is now. */
  readonly look: Look
  /** Ends what else asks about notes just now: one at a time. */
  readonly alone: () => Promise<void>
}

interface Measured extends KeepingInput {
  readonly state: KeepingState
  readonly assembly: Assembly
  /** As the provider counts. */
  readonly tokens: number
  /** Provider tokens for each estimated one. */
  readonly factor: number
}

export class Keeper {
  readonly #options: KeeperOptions
  readonly #notes: Notes
  /** The user wants it now. */
  #isWanted = false

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#notes = new Notes(options)
  }

  /** Makes the next request fit. @throws AppError only when the disk does not take what must not be lost */
  async prepare(): Promise<void> {
    const tried = new Set<KeepingStep>()
    let measured = await this.#measure()
    for (let step = dueStep(measured, tried); step; step = dueStep(measured, tried)) {
      tried.add(step.kind)
      if (step.kind === 'prune') await this.#prune(step.plan)
      else if (step.kind === 'flush') await this.#flushUpTo(measured.state.live.length)
      else await this.#compactAt(step.cut, undefined)
      measured = await this.#measure()
    }
    const most = this.#rests() ? mostTokens(measured.report) : measured.report.compactAt
    if (measured.tokens <= most || !this.#leavesRoom(measured)) return
    if (await this.#squeeze()) measured = await this.#measure()
    if (this.#rests() && measured.tokens > most) await this.#leaveOut(cutOf(measured))
  }

  /** The provider found the request too long, whatever was estimated. @returns false when nothing more can be cut */
  async makeRoom(): Promise<boolean> {
    const measured = await this.#measure()
    if (!this.#leavesRoom(measured)) return false
    const cut = cutOf(measured, Math.floor(keepOf(measured) / 2))
    const isCut = (await this.#compactAt(cut, undefined)) || (await this.#leaveOut(cut))
    return (await this.#squeeze()) || isCut
  }

  /** @returns false when there is nothing to summarise, or it failed; the history is whole then */
  async compact(focus: string | undefined): Promise<boolean> {
    this.#isWanted = true
    return this.#compactAt(cutOf(await this.#measure()), focus)
  }

  /** Saves durable notes from what no flush has read yet. */
  async flushRest(): Promise<void> {
    if (this.#flushes()) await this.#flushUpTo(this.#state().live.length)
  }

  #flushes(): boolean {
    return this.#options.flushes && !this.#options.isApart()
  }

  #state(): KeepingState {
    return keepingState(this.#options.transcript.branch())
  }

  /** True while nothing is asked, for it has just failed. */
  #rests(): boolean {
    return !this.#isWanted && isResting(this.#state())
  }

  async #measure(): Promise<Measured> {
    const { assemble, lastReport, now } = this.#options
    const assembly = await assemble()
    const { report } = assembly
    const last = lastReport()
    const input = { state: this.#state(), report, last, flushes: this.#flushes(), now: now().getTime() }
    return { ...input, assembly, tokens: requestTokens(input), factor: factorOf(last) }
  }

  /** False where prompt, tools and files fill the window by themselves: no summary helps then. */
  #leavesRoom({ report, factor }: Measured): boolean {
    return fixedTokens(report) * factor < report.contextWindow
  }

  async #prune(plan: PrunePlan): Promise<void> {
    await this.#keep({ type: 'prune', ...plan, trimmed: [...plan.trimmed], cleared: [...plan.cleared] })
  }

  /**
   * What is left is too long by itself: a tool's result that fills the window. It is read by a flush, then sent cut to
   * head and tail; the transcript has all of it. @returns false when there is no such result
   */
  async #squeeze(): Promise<boolean> {
    const { live, pruned } = this.#state()
    const large = live.flatMap(({ message }) => {
      const isLarge = message.role === 'toolResult' && messageText(message).length > softTrim.maxChars
      return isLarge && !pruned.trimmed.has(message.toolCallId) ? [message] : []
    })
    if (large.length === 0) return false
    await this.flushRest()
    await this.#prune({
      trimmed: large.map(({ toolCallId }) => toolCallId),
      cleared: [],
      charactersBefore: large.reduce((sum, message) => sum + messageText(message).length, 0),
      charactersAfter: large.length * (softTrim.headChars + softTrim.tailChars),
    })
    return true
  }

  /** Summarises the first `cut` live messages. @returns false when there are none, or it failed */
  async #compactAt(cut: number, focus: string | undefined): Promise<boolean> {
    const { model, prompts, tools } = this.#options
    const { live } = this.#state()
    const first = live[cut]
    if (cut === 0 || !first || this.#rests()) return false
    if (this.#flushes()) {
      if (this.#state().flushed < cut) await this.#flushUpTo(cut)
      assertFlushed(this.#state(), cut)
    }
    // Nor will it summarise now.
    if (this.#rests()) return false
    const messages = live.map(({ message }) => message)
    const seen = await this.#seen(messages)
    const { tokens: tokensBefore } = await this.#measure()
    this.#options.onStart('compaction')
    await this.#options.alone()
    try {
      const { text, usage, isLocal } = await whileItShrinks(model, async () => {
        const { report, factor } = await this.#measure()
        return summarize({
          model,
          prompt: (await prompts()).compaction,
          earlier: model.isLocal || !this.#state().isSummaryLocal ? this.#state().summary : undefined,
          isLocal: model.isLocal && (this.#state().isSummaryLocal || messages.some(({ local }) => local)),
          messages: seen.slice(0, cut),
          kept: seen.slice(cut),
          focus,
          budget: this.#options.budget(),
          maxTokens: Math.floor(summaryTokens(report.compactAt) / Math.max(1, factor)),
          factor,
          signal: tools.signal,
        })
      })
      await this.#keep({
        type: 'compaction',
        summary: text,
        firstKeptEntryId: first.id,
        tokensBefore,
        tokensAfter: tokensAfter(tokensBefore, messages, cut, text),
        usage,
        ...(isLocal ? { local: true } : {}),
        ...sourcesOf(this.#state(), messages.slice(0, cut)),
      })
      return true
    } catch (error) {
      if (!(error instanceof AppError) || tools.signal.aborted) throw error
      await this.#notice('compactionFailed', error)
      return false
    }
  }

  /**
   * Sends the first `cut` live messages no more, though nobody could summarise them; what no flush has read of them is
   * rescued. @returns false when there are none
   */
  async #leaveOut(cut: number): Promise<boolean> {
    const { live, summary, isSummaryLocal, flushed } = this.#state()
    const first = live[cut]
    if (cut === 0 || !first) return false
    if (flushed < cut && !this.#options.isApart()) await this.#rescueUpTo(cut)
    const { tokens: tokensBefore } = await this.#measure()
    const messages = live.map(({ message }) => message)
    const earlier = summary?.endsWith(leftOutNote) ? summary.slice(0, -leftOutNote.length) : (summary ?? '')
    const text = `${earlier.trimEnd()}\n\n${leftOutNote}`.trimStart()
    await this.#keep({
      type: 'compaction',
      summary: text,
      firstKeptEntryId: first.id,
      tokensBefore,
      tokensAfter: tokensAfter(tokensBefore, messages, cut, text),
      leftOut: true,
      ...(isSummaryLocal ? { local: true } : {}),
      ...sourcesOf(this.#state(), messages.slice(0, cut)),
    })
    return true
  }

  async #rescueUpTo(count: number): Promise<void> {
    const { live, flushed } = this.#state()
    const through = live[count - 1]
    if (!through || flushed >= count) return
    const { changes, ...saved } = await this.#notes.keepWords(live.slice(flushed, count).map(({ message }) => message))
    await this.#keep({ type: 'flush', ...saved, throughEntryId: through.id, changes: [...changes] })
  }

  /** Has the first `count` live messages read for durable notes; what cannot be read is kept word for word. */
  async #flushUpTo(count: number): Promise<void> {
    if (this.#rests()) return this.#rescueUpTo(count)
    const { live, flushed } = this.#state()
    const through = live[count - 1]
    if (!through || flushed >= count) return
    this.#options.onStart('flush')
    await this.#options.alone()
    const unread = live.slice(flushed, count).map(({ message }) => message)
    const { changes, ...saved } = await this.#notes.save(unread, () => this.#measure())
    await this.#keep({ type: 'flush', ...saved, throughEntryId: through.id, changes: [...changes] })
  }

  /** Messages as the model may see them. */
  async #seen(messages: readonly Message[]): Promise<readonly Message[]> {
    const { model, look } = this.#options
    return model.isLocal ? messages : withheldMessages(messages, await look())
  }

  async #keep(entry: KeptContent): Promise<void> {
    await this.#options.transcript.appendKept(entry)
  }

  async #notice(kind: 'compactionFailed', error: AppError): Promise<void> {
    await this.#options.transcript.appendCustom(noticeEntry, {
      kind,
      code: error.code,
      message: error.message,
      data: error.data,
    })
  }
}

/** Where some of what a summary stands for comes from: what went into the one before is in it too. */
function sourcesOf({ summarySources }: KeepingState, messages: readonly Message[]): { readonly sources?: Source[] } {
  const sources = [...originsOf(messages, []), ...summarySources]
  const each = [...new Map(sources.map((source) => [sourceName(source), source])).values()]
  return each.length === 0 ? {} : { sources: each }
}

/** Told to the model in the place of a summary. */
const leftOutNote =
  '[Here older messages were left out, because no summary of them could be made. What they said is in memory: search it.]'

function tokensAfter(before: number, messages: readonly Message[], cut: number, summary: string): number {
  const sizes = messages.map(messageTokens)
  const dropped = sizes.slice(0, cut).reduce((sum, size) => sum + size, 0)
  return Math.max(0, before - dropped) + messageTokens({ role: 'user', content: summary, timestamp: 0 })
}
