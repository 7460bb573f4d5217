import { type Fetch, boundedFetch, type Clock } from '#platform'
import { maxEventBytes, maxListBytes, maxStreamBytes } from '#shared/util/limits.ts'
import { createFailure } from './provider-failures.ts'
import { capturingFetch, type OnRequestSent } from './request-capture.ts'
import { streamingFetch } from '../providers/openai/non-streaming-fallback.ts'

export interface ProviderOptions {
  readonly apiKey: string
  readonly baseUrl: string | undefined
  readonly timeoutMs: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sends the requests: see `Outbound`. */
  readonly fetch: Fetch
  readonly onSent?: OnRequestSent | undefined
  readonly now?: Clock | undefined
}

/** Returns the options for both official clients. Their own retries are off: `withRetries` repeats requests visibly. */
export function clientOptions(
  provider: string,
  { apiKey, baseUrl, timeoutMs, headers, fetch, onSent }: ProviderOptions,
) {
  return {
    apiKey,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(headers === undefined ? {} : { defaultHeaders: headers }),
    // Lists use GET; answers use POST and stream.
    fetch: streamingFetch(
      boundedFetch(
        onSent ? capturingFetch(fetch, onSent) : fetch,
        (method) => (method === 'GET' ? { whole: maxListBytes } : { event: maxEventBytes, whole: maxStreamBytes }),
        () => createFailure('provider_too_much', provider),
      ),
    ),
    // A redirect would send the conversation and the key to another server.
    fetchOptions: { redirect: 'manual' as const },
    timeout: timeoutMs,
    maxRetries: 0,
    logLevel: 'off' as const,
  }
}
