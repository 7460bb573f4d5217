import { AppError } from '#shared/util/errors.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { messageTokens } from '../context/message-text.ts'
import type { ChatModel } from '#llm'
import { isContextOverflow } from '../context/context-window-estimates.ts'
import type { ChatOptions } from './chat-options.ts'

type ModelOptions = Pick<ChatOptions, 'config' | 'models' | 'windowEstimates'>

export type AgentModels = ReturnType<typeof agentModels>

export function agentModels({ models, config, windowEstimates }: ModelOptions) {
  /** @param id defaults to the configured model @throws AppError `provider_key_missing` if its provider is not set up */
  function create(id?: string, isPrivate = false): ChatModel {
    const { current, id: agent } = config
    const model = models.create(id ?? current.model, agent, isPrivate, current.chat.idleTimeout)
    return {
      ...model,
      get contextWindow() {
        return windowEstimates.estimateFor(model)?.window ?? model.contextWindow
      },
      get maxOutput() {
        return Math.min(model.maxOutput, Math.floor(this.contextWindow / 2))
      },
      async *stream(request, signal) {
        try {
          yield* model.stream(request, signal)
        } catch (error) {
          if (isContextOverflow(error)) {
            const { system, messages, tools, maxOutput } = request
            const fixedTokens = estimateTokens(system.join('\n') + JSON.stringify(tools))
            const tokens = messages.reduce((sum, message) => sum + messageTokens(message), fixedTokens)
            await windowEstimates.lower(model, error, tokens + maxOutput)
          }
          throw error
        }
      },
    }
  }

  /**
   * A private chat uses the offline model if the configured one is on another machine.
   * @throws AppError `private_chat_remote_model` if `id` names such a model, and as `create`
   */
  function createFor(isPrivate: boolean, id?: string): ChatModel {
    if (isPrivate && id === undefined) return createOrOffline(undefined, true)
    const model = create(id, isPrivate)
    if (isPrivate && !model.isLocal) throw privateChatError(model)
    return model
  }

  /**
   * Creates the configured model, or the offline model if the provider has no key, or the model is on another machine
   * and the chat is private.
   * @param id model to create instead; it may be unknown, as that of an imported chat
   */
  function createOrOffline(id?: string, isPrivate = false): ChatModel {
    try {
      const model = create(id, isPrivate)
      return isPrivate && !model.isLocal ? create('offline') : model
    } catch (error) {
      const isMissing = error instanceof AppError && (error.code === 'provider_key_missing' || id !== undefined)
      if (isMissing) return create('offline')
      throw error
    }
  }

  return { create, createFor, createOrOffline }
}

export function privateChatError({ id }: Pick<ChatModel, 'id'>): AppError {
  const message = `${id} runs on another machine, and this chat is private: choose a model of this machine`
  return new AppError('private_chat_remote_model', message, { model: id })
}
